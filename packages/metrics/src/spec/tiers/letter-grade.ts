/** A score as a letter. The scale is data, so that a team can have its own. */
import { checkLength, checkNumber } from '../../domain.ts'
import { atLeast } from '../tolerance.ts'

export interface GradeScale {
  /** From the best grade down; each needs at least its score. */
  readonly steps: readonly { readonly grade: string; readonly least: number }[]
  /** The grade below the last step. */
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
 * The best grade whose bound the score reaches, compared in decimal.
 *
 * @example letterGrade(0.925) // 'B'
 */
export function letterGrade(score: number, scale: GradeScale = GRADE_SCALE): string {
  checkNumber('score', score)
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
