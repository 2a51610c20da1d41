/**
 * Grades several checks that must all hold. The score is the fraction of checks that hold. The grader passes
 * only if all of them hold.
 */
import type { GraderOutput } from '../grader.ts'

export interface Check {
  readonly holds: boolean
  /**
   * Part of a sentence that says what the check looked for and what it found. It is short and has no control
   * characters.
   */
  readonly says: string
}

const MOST_NAMED = 3

export function judgeChecks(checks: readonly Check[]): GraderOutput {
  const failed = checks.filter(({ holds }) => !holds)
  const passed = failed.length === 0
  const told = list(passed ? checks : failed)
  return {
    score: checks.length === 0 ? 1 : (checks.length - failed.length) / checks.length,
    passed,
    reason:
      checks.length === 1
        ? told
        : passed
          ? `all ${checks.length} checks hold: ${told}`
          : `${failed.length} of ${checks.length} checks do not hold: ${told}`,
  }
}

function list(checks: readonly Check[]): string {
  const named = checks.slice(0, MOST_NAMED).map(({ says }) => says)
  const more = checks.length - named.length
  return named.join('; ') + (more > 0 ? `; and ${more} more` : '')
}
