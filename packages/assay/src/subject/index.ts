/**
 * Subjects are the systems that are tested and give the answers: models, commands, agents, recordings and
 * simulations. This folder also contains the providers of models and their prices.
 */
export { agentReach, agentVariables } from './agent/agent-reach.ts'
export { AGENT_NAMES, EVENT_FORMATS, type EventFormat } from './agent/names.ts'
export type { AgentState } from './agent/inspect-agents.ts'
export { applyDiff, isDiff } from './baseline/apply-diff.ts'
export { soundAnswer, soundFailure } from './amounts.ts'
export { splitCommand } from './command/argv.ts'
export { commandSubject, type CommandOptions } from './command/command.ts'
export { listProviders, type ListOptions, type ProviderStatus } from './model/list-providers.ts'
export { modelSubject, type ModelOptions } from './model/model.ts'
export { APIS } from './model/wire.ts'
export { EFFORTS, type Effort, type ModelParameters } from './model/parameters.ts'
export type { Price } from './model/price-file.ts'
export { loadPrices, type Prices, type PriceSource } from './model/prices.ts'
export {
  findProvider,
  isClearText,
  isLoopback,
  isLoopbackAddress,
  isOwnOrigin,
  isOwnPair,
  providerNames,
  providerVariables,
  WRITTEN_KEY,
  type ProviderSettings,
  type ProviderSources,
} from './model/providers.ts'
export { MASKED_ANSWER, recordedOf } from './replay/recorded-run.ts'
export { openReplay, replaySubject, type ReplaySubject } from './replay/replay.ts'
export {
  simulatedSubject,
  type SimulatedOptions,
  type SimulatedSubject,
} from './simulated/simulated.ts'
export { BASELINES, SUBJECT_KINDS } from './names.ts'
export { describedTraces, NO_TRACES } from './traces.ts'
export { modelInCommand, splitSubjects } from './subject-text.ts'
export {
  checkSubjects,
  describeSubject,
  namedSubjectIn,
  findReplay,
  inspectAgents,
  makeSubjects,
  type SubjectRequest,
} from './subjects.ts'
export type { NamedSubject } from './named-subject.ts'
