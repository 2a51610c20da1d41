/** Several things that must all hold: the score is the share of those that do, the verdict is all of them. */
import type { GraderOutput } from '../grader.ts'

export interface Check {
  readonly holds: boolean
  /** What was looked for and found, as a part of a sentence: short, and free of control characters. */
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
