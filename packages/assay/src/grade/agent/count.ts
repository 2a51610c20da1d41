/**
 * Grades a count of an agent's actions. The grader passes, with a score of 1, if the count is from `min` to `max`.
 * Above `max` the score falls linearly to 0, as for all budgets (`budgetScore`). Below `min` the score is count /
 * `min`.
 */
import { z } from 'zod'
import { budgetScore } from '../budget/budget.ts'
import type { GraderOutput } from '../grader.ts'

const count = z.int().min(0).max(1_000_000_000)

/** Returns the options that every counting grader has. `what` names the counted things. */
export const countShape = (what: string) => ({
  max: count.optional().describe(`${what} that are fine; beyond, the score falls to 0.`),
  min: count
    .optional()
    .describe(`${what} that there must be; below, the score is the share reached.`),
})

export interface Range {
  readonly max?: number | undefined
  readonly min?: number | undefined
}

export const hasBound = ({ max, min }: Range): boolean => max !== undefined || min !== undefined
export const A_BOUND = 'max or min'
export const isRange = ({ max = Infinity, min = 0 }: Range): boolean => min <= max
export const A_RANGE = 'a min that is not above max'

export function judgeCount(
  value: number,
  { max = Infinity, min = 0 }: Range,
  shown: (count: number) => string,
): GraderOutput {
  const passed = value >= min && value <= max
  const missed = value < min ? `fewer than ${shown(min)}` : `over the budget of ${shown(max)}`
  const held =
    max === Infinity
      ? `at least ${shown(min)}`
      : min === 0
        ? `within the budget of ${shown(max)}`
        : `between ${min} and ${shown(max)}`
  return {
    score: value < min ? value / min : budgetScore(value, max),
    passed,
    reason: `${shown(value)}, ${passed ? held : missed}`,
    facts: {
      value,
      ...(max === Infinity ? {} : { max }),
      ...(min === 0 ? {} : { min }),
    },
  }
}

/** Returns a function that formats a count: `3 turns`, `1 turn`. */
export const counted =
  (one: string, several = `${one}s`) =>
  (value: number): string =>
    `${value} ${value === 1 ? one : several}`
