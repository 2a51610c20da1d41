/**
 * Code that all budget graders share. The grader passes, with a score of 1, if the amount is not above `max`. Above
 * `max` the score falls linearly to 0. If the subject did not report the amount (tokens, cost), the grader gives no
 * verdict: see `judgeUnknown`.
 */
import type { GraderOutput } from '../grader.ts'

/**
 * Returns 1 up to max, then max(0, 1 − (value − max) / max(max, 1)). This is the formula in the scoring-functions
 * specification. The unit of the value matters: if max is below one unit, the score falls as if max were 1.
 */
export function budgetScore(value: number, max: number): number {
  return value <= max ? 1 : Math.max(0, 1 - (value - max) / Math.max(max, 1))
}

interface Spent {
  readonly value: number
  readonly max: number
  /** Formats an amount with its unit. */
  readonly shown: (amount: number) => string
}

export function gradeBudget({ value, max, shown }: Spent): GraderOutput {
  const passed = value <= max
  return {
    score: budgetScore(value, max),
    passed,
    reason: `${shown(value)}, ${passed ? 'within' : 'over'} the budget of ${shown(max)}`,
    facts: { value, max },
  }
}
