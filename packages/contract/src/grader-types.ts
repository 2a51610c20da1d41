/**
 * The graders whose grades have a special meaning for readers of a log, beyond score and verdict. A reader of
 * a log does not load the graders' code. It cannot use the shape of a grade either: a custom grader may
 * record the same facts, and its grades would then be taken for code grades. So these types are named once,
 * here. The graders use these constants, and a test compares this list with what they declare.
 */

/** Its grade contains the facts and parts of code scoring. */
export const CODE_GRADER = 'code'

/** Its grade contains the marks of each judge. */
export const JUDGE_GRADER = 'judge'

/** A grade, or a grader in a case. */
interface Typed {
  readonly type: string
}

export const isCodeGrade = ({ type }: Typed): boolean => type === CODE_GRADER

export const isJudgeGrade = ({ type }: Typed): boolean => type === JUDGE_GRADER
