/**
 * What all budgets share: a score of 1 up to `max`, then a line down to 0, and a pass within `max`. Where
 * the subject did not say what an answer used, a budget has nothing to judge by: `judgeUnknown`.
 */
import type { GraderOutput } from '../grader.ts'

/**
 * 1 up to max, then max(0, 1 − (value − max) / max(max, 1)), as scoring-functions' program has it. The unit
 * matters: below one unit the line falls as if max were 1.
 */
export function budgetScore(value: number, max: number): number {
  return value <= max ? 1 : Math.max(0, 1 - (value - max) / Math.max(max, 1))
}

interface Spent {
  readonly value: number
  readonly max: number
  /** The amount with its unit. */
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
