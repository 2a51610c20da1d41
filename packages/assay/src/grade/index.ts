/** How an answer is judged: the graders, and from their grades to a score. */
export { gradeAnswer, GraderFailure, type GradingOptions } from './grade.ts'
export {
  GraderTimeout,
  type Graded,
  type Grader,
  type GraderContext,
  type Judgement,
} from './grader.ts'
export { graderByType, graders } from './graders.ts'
export { scoreTrial, type TrialScore } from './score.ts'
export { codeDefaults } from './code/code.ts'
export { canGrade, gradableLanguages, languageByName, languages } from './code/languages.ts'
export type { Language, Tool } from './code/language.ts'
export { isCode, prepareCode, type Toolchains } from './code/prepare.ts'
export { closeGraders } from './close.ts'
