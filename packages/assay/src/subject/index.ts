/** Who answers: models, commands, recordings, simulations; providers and prices. */
export { agentReach } from './agent/agent-reach.ts'
export { AGENT_NAMES, EVENT_FORMATS, type EventFormat } from './agent/names.ts'
export type { AgentState } from './agent/inspect-agents.ts'
export { soundAnswer, soundFailure } from './amounts.ts'
export { splitCommand } from './argv.ts'
export { commandSubject, type CommandOptions } from './command.ts'
export { listProviders, type ListOptions, type ProviderStatus } from './list-providers.ts'
export { modelSubject, type ModelOptions } from './model.ts'
export { EFFORTS, type Effort, type ModelParameters } from './parameters.ts'
export type { Price } from './price-file.ts'
export { loadPrices, type Prices, type PriceSource } from './prices.ts'
export {
  findProvider,
  isClearText,
  isLoopback,
  isOwnPair,
  providerNames,
  WRITTEN_KEY,
  type ProviderSettings,
  type ProviderSources,
} from './providers.ts'
export { MASKED_ANSWER, recordedOf } from './recorded-run.ts'
export { openReplay, replaySubject, type ReplaySubject } from './replay.ts'
export { simulatedSubject, type SimulatedOptions, type SimulatedSubject } from './simulated.ts'
export { describedTraces, NO_TRACES } from './traces.ts'
export { splitSubjects } from './subject-text.ts'
export {
  checkSubjects,
  describeSubject,
  inspectAgents,
  makeSubjects,
  type NamedSubject,
  type SubjectRequest,
} from './subjects.ts'
