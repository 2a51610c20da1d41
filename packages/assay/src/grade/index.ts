/** How an answer is judged: the graders, and from their grades to a score. */
export { answerFiles } from './files/answer-files.ts'
export { gradeAnswer, GraderFailure, type GradingOptions } from './grade.ts'
export {
  GraderTimeout,
  type AskJudge,
  type GraderInput,
  type GradedWorkspace,
  type Grader,
  type GraderContext,
  type GraderOutput,
  type OptionFault,
  type JudgeReply,
} from './grader.ts'
export { graderByType, graders, needsSandbox } from './graders.ts'
export {
  defineGrader,
  type CustomGrader,
  type CustomGraderOutput,
} from './command/custom-grader.ts'
export { implRateOf, scoreTrial, type TrialScore } from './score.ts'
export { JudgeFailure, judgesOf } from './judge/judge.ts'
export type { JudgeOptions } from './judge/options.ts'
export { promptOf as judgePrompt } from './judge/prompt.ts'
export { graderSandbox } from './command/grader-sandbox.ts'
export { hasSandboxedGrader, runsUnsandboxed } from './command/run-as-user.ts'
export { closeGraders } from './close.ts'
