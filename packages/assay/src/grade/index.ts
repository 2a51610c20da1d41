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
export { closeGraders } from './threads.ts'
