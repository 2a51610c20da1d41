/**
 * The types of some graders. The code that reads a log uses more of their grades than the score and the verdict, so
 * it must recognize these grades. It does not load the code of the graders. It cannot recognize a grade by its
 * fields either: a custom grader may record the same fields, and its grades would be mistaken for code grades. So
 * these types are named once, here. The graders use these constants, and a test compares this list with the types
 * that the graders declare.
 */

/** The type of the code grader. Its grades contain the facts and the score parts of code scoring. */
export const CODE_GRADER = 'code'

/** The type of the judge grader. Its grades contain the marks of each judge. */
export const JUDGE_GRADER = 'judge'

/** The type of a part of a judge's grade: one of several runs of the judge. */
export const JUDGE_RUN = 'judge-run'

/** The type of a part of a judge's grade, or of one of its runs: the mark for one criterion. */
export const JUDGE_CRITERION = 'criterion'

/** An object with the type of a grader: a grade, or the configuration of a grader in a case. */
interface Typed {
  readonly type: string
}

export const isCodeGrade = ({ type }: Typed): boolean => type === CODE_GRADER

export const isJudgeGrade = ({ type }: Typed): boolean => type === JUDGE_GRADER
