/** Plans, schedules, records and resumes runs. A run asks subjects the cases of suites and grades the answers. */
export { askedCase, messagesOf } from './trial/asked-case.ts'
export { systemClock, type Clock } from './schedule/clock.ts'
export type { RunEvent } from './schedule/events.ts'
export type { BudgetState, Paid, Reservation } from './schedule/budget.ts'
export { isGuessed } from './schedule/budget.ts'
export type { Engine, GradedWith, Job } from './schedule/job.ts'
export { isToDo, poolLimits } from './schedule/schedule.ts'
export { LOST_REASONS, isOutOfSockets } from './schedule/provider-limiter.ts'
export { Semaphore } from './schedule/semaphore.ts'
export { trialRunner, type TrialRunner } from './trial/run-trial.ts'
export type {
  ProviderSlots,
  TrialBudget,
  TrialCell,
  TrialServices,
  TrialStore,
} from './trial/trial-services.ts'
export { isPending, type KeptAnswer, type Pending } from './resume/pending.ts'
export { OutOfBudget } from './grade/judge-requests.ts'
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
export { checkTraces, type Tracing } from './grade/check-traces.ts'
export {
  checkJudges,
  estimateJudges,
  judgesIn,
  withJudges,
  type JudgeEstimate,
} from './grade/judges.ts'
export type { OwnAnswers } from './resume/answer-cache.ts'
export { regradable, type Regradable } from './resume/regrade.ts'
export { RETRY_POLICY, type RetryPolicy } from './schedule/backoff.ts'
export { checkTests, refuseIdleTests, type TestCheck } from './grade/check-tests.ts'
export { setUpCode, setUpGraders, type CodeSetup } from './grade/code-setup.ts'
export { redactorsFor } from './masking.ts'
export { proveSuite, type AnswerProof, type CaseProof, type ProofOptions } from './prove.ts'
export { needsWorkspaces, worksInWorkspace } from './workspaces.ts'
