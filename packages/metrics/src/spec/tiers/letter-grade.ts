/** Converts a score into a letter grade. The scale is a parameter, so teams can define their own. */
import { checkLength, checkNumber } from '../../domain.ts'
import { atLeast } from '../tolerance.ts'

export interface GradeScale {
  /** The grades from the best down, each with the lowest score that earns it. */
  readonly steps: readonly { readonly grade: string; readonly least: number }[]
  /** The grade of a score below the last step. */
  readonly below: string
}

export const GRADE_SCALE: GradeScale = {
  steps: [
    { grade: 'A', least: 0.95 },
    { grade: 'B', least: 0.85 },
    { grade: 'C', least: 0.75 },
    { grade: 'D', least: 0.65 },
  ],
  below: 'F',
}

/**
 * Returns the best grade whose lowest score (`least`) the score reaches. A score that is below it
 * only by rounding (tolerance.ts) also counts. The score is from 0 to 1.
 *
 * @example letterGrade(0.925) // 'B'
 */
export function letterGrade(score: number, scale: GradeScale = GRADE_SCALE): string {
  checkNumber('score', score, 0, 1)
  checkLength('scale.steps', scale.steps)
  let above = Infinity
  let found: string | null = null
  for (const { grade, least } of scale.steps) {
    checkNumber(`scale bound of ${grade}`, least)
    if (least >= above) throw new RangeError('scale.steps must go down from the best grade')
    above = least
    if (found === null && atLeast(score, least)) found = grade
  }
  return found ?? scale.below
}
