/**
 * The graders whose grades mean more to a reader than a score and a verdict. Where a log is read, the
 * graders' code is not loaded, and the shape of a grade cannot tell: a custom grader may record the same
 * facts, and its grades would then count as code. So these types are named once, here. Each of the graders
 * takes its type from here, and a test of the graders compares this list with what they declare.
 */

/** Its grade holds the facts and parts of code-scoring. */
export const CODE_GRADER = 'code'

/** Its grade holds the marks of each judge. */
export const JUDGE_GRADER = 'judge'

/** Of a grade, or of a grader as a case names it. */
interface Typed {
  readonly type: string
}

export const isCodeGrade = ({ type }: Typed): boolean => type === CODE_GRADER

export const isJudgeGrade = ({ type }: Typed): boolean => type === JUDGE_GRADER
