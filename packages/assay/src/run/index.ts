/** Plan, schedule, record, resume. */
export { systemClock, type Clock } from './clock.ts'
export { codeFacts } from './code-facts.ts'
export type { Column } from './column.ts'
export type { RunEvent } from './events.ts'
export { Plan, type Cell, type PlanSubject, type PlanSuite } from './plan.ts'
export { run, type RunResult } from './run.ts'
export { RUN_DEFAULTS, type RunOptions } from './run-options.ts'
export {
  isStronger,
  ofCase,
  PLACES,
  strongest,
  timeoutOf,
  trialsOf,
  type CaseSettings,
  type Place,
  type Setting,
} from './precedence.ts'
export { checkTraces, type Tracing } from './check-traces.ts'
export { checkJudges, estimateJudging, judgesIn, withJudges } from './judges.ts'
export type { JudgeEstimate } from './judges.ts'
export { regradable, type Regradable } from './regrade.ts'
export { Tally, type Counts, type TrialFacts } from './tally.ts'
export { RETRY_POLICY, type RetryPolicy } from './backoff.ts'
export { checkTests, type TestCheck } from './check-tests.ts'
export { setUpCode, type CodeSetup } from './code-setup.ts'
export { proveSuite, type AnswerProof, type CaseProof, type ProofOptions } from './prove.ts'
export { needsWorkspaces, worksInWorkspace } from './workspaces.ts'
