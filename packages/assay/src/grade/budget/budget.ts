/**
 * What all budgets share: the score is 1 up to `max`, then falls in a line to 0; the grader passes up to `max`. If
 * the subject did not report what an answer used, the budget is not decided: see `judgeUnknown`.
 */
import type { GraderOutput } from '../grader.ts'

/**
 * Returns 1 up to max, then max(0, 1 − (value − max) / max(max, 1)), as in the scoring-functions program. The unit
 * matters: if max is below one unit, the score falls as if max were 1.
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
