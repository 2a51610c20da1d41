/**
 * The types of some graders. The code that reads a log must recognize their grades, because it uses more of these
 * grades than the score and the verdict. It cannot ask the graders, because it does not load their code. It cannot
 * recognize a grade by its fields either: a custom grader may record the same fields, and its grades would be
 * mistaken for code grades. So these types are named once, here. The graders use these constants, and a test compares
 * this list with the types that the graders declare.
 */

import type { GraderConfig } from './case.ts'

/** The type of the code grader. Its grades contain the facts and the score parts of code scoring. */
export const CODE_GRADER = 'code'

/** The type of the judge grader. Its grades contain the marks of each judge. */
export const JUDGE_GRADER = 'judge'

/** The type of a part of a judge's grade: the result of one run, if the judge runs several times. */
export const JUDGE_RUN = 'judge-run'

/** The type of a part of a judge's grade, or of one of the judge's runs: the mark for one criterion. */
export const JUDGE_CRITERION = 'criterion'

/** The type of the label grader. Its grades contain the expected and the answered label. */
export const LABEL_GRADER = 'label'

/**
 * The types of the graders that combine other graders. Their options contain the configurations of these graders,
 * which are called members.
 */
export const ANY_GRADER = 'any'
export const ALL_GRADER = 'all'

/**
 * Returns the graders of a list, and the members of its combinations. Code that decides what a case starts, reads or
 * needs must look at the members too.
 */
export const eachGrader = (graders: readonly GraderConfig[]): readonly GraderConfig[] =>
  graders.some(isCombination)
    ? graders.flatMap((one) => [one, ...(isCombination(one) ? eachGrader(membersOf(one)) : [])])
    : graders

const isCombination = ({ type }: Typed): boolean => type === ANY_GRADER || type === ALL_GRADER

const membersOf = ({ options }: GraderConfig): readonly GraderConfig[] =>
  (options as unknown as { readonly graders: readonly GraderConfig[] }).graders

/** An object with the type of a grader: a grade, or the configuration of a grader in a case. */
interface Typed {
  readonly type: string
}

export const isCodeGrade = ({ type }: Typed): boolean => type === CODE_GRADER

export const isLabelGrade = ({ type }: Typed): boolean => type === LABEL_GRADER

export const isJudgeGrade = ({ type }: Typed): boolean => type === JUDGE_GRADER
