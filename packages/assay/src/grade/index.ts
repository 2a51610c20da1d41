/** Grading: the graders, and the code that computes a trial's outcome from its grades. */
export { functionGrader } from './function/function.ts'
export { caseAsAsked } from './turn.ts'
export { answerFiles } from './files/answer-files.ts'
export { gradeAnswer, gradesOf, GraderFailure, type GradingOptions } from './grade.ts'
export {
  GraderTimeout,
  type AskJudge,
  type GraderInput,
  type GradedWorkspace,
  type Grader,
  type GraderContext,
  type GraderOutput,
  type Exploration,
  type JudgeRequest,
  type OptionFault,
  type JudgeReply,
} from './grader.ts'
export { graderByType, graders, needsSandbox, startsCommand } from './graders.ts'
export {
  defineGrader,
  type CustomGrader,
  type CustomGraderOutput,
} from './command/custom-grader.ts'
export { answerFailure, trialOutcome, type TrialEnd, type TrialOutcome } from './outcome.ts'
export { JudgeFailure } from './judge/failure.ts'
export { exploringMessages } from './judge/prompt.ts'
export { graderSandbox } from './command/grader-sandbox.ts'
export { hasSandboxedGrader, runsUnsandboxed } from './command/run-as-user.ts'
export { closeGraders, useGraders } from './close.ts'
