/** How an answer is judged: the graders, and from their grades to a score. */
export { answerFiles } from './answer-files.ts'
export { gradeAnswer, GraderFailure, type GradingOptions } from './grade.ts'
export {
  GraderTimeout,
  type AskJudge,
  type Graded,
  type GradedWorkspace,
  type Grader,
  type GraderContext,
  type Judgement,
  type OptionFault,
  type JudgeReply,
} from './grader.ts'
export { graderByType, graders, needsSandbox } from './graders.ts'
export { defineGrader, type CustomGrader, type CustomJudgement } from './custom-grader.ts'
export { turnFault } from './for-turns.ts'
export { workspaceFault } from './for-workspaces.ts'
export { implRateOf, scoreTrial, type TrialScore } from './score.ts'
export { lookAtTests, runTests, type TestFinding } from './code/check-tests.ts'
export { codeDefaults } from './code/code.ts'
export { canGrade, gradableLanguages, languageByName, languages } from './code/languages.ts'
export type { Language, Tool } from './code/language.ts'
export { isCode, prepareCode, type Toolchains } from './code/prepare.ts'
export { JudgeFailure, judgesOf } from './judge/judge.ts'
export type { JudgeOptions } from './judge/options.ts'
export { promptOf as judgePrompt } from './judge/prompt.ts'
export { graderSandbox } from './grader-sandbox.ts'
export { hasSandboxedGrader, runsUnsandboxed } from './run-as-user.ts'
export { closeGraders } from './close.ts'
