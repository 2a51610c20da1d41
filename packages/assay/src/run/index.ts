/** Plan, schedule, record, resume. */
export { systemClock, type Clock } from './clock.ts'
export type { RunEvent } from './events.ts'
export { Plan, type Cell, type PlanSubject, type PlanSuite } from './plan.ts'
export { run, RUN_DEFAULTS, type RunOptions, type RunResult } from './run.ts'
export { Tally, type Counts } from './tally.ts'
export { RETRY_POLICY, type RetryPolicy } from './backoff.ts'
export { setUpCode, type CodeSetup } from './code-setup.ts'
export { proveSuite, type AnswerProof, type CaseProof, type ProofOptions } from './prove.ts'
