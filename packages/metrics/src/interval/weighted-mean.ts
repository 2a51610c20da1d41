/** The mean and the spread of values that can each occur many times. */
import { Sum } from '../fsum.ts'
import type { Interval } from '../metric.ts'

/** An interval and the number of independent observations that it is based on. */
export interface EffectiveInterval {
  readonly interval: Interval
  readonly effectiveN: number
}

export interface WeightedValue {
  readonly value: number
  /** How many cases have this value. */
  readonly cases: number
}

export interface Spread {
  readonly mean: number
  /** Standard error of the mean over independent units; 0 if all values are equal. */
  readonly se: number
  /** The number of independent units: groups if the cases come in groups, otherwise cases. */
  readonly units: number
  /** Whether every value is 0 or 1. */
  readonly binary: boolean
}

/** Values that differ by less than this differ only by rounding and count as equal. */
export const ROUNDING = 1e-12

/**
 * Returns the mean of the values over m cases and its standard error sd/√m, where sd is the sample
 * standard deviation.
 */
export function spreadOverCases(values: readonly WeightedValue[]): Spread {
  const total = new Sum()
  let units = 0
  let least = Infinity
  let most = -Infinity
  let binary = true
  for (const { value, cases } of values) {
    total.add(value * cases)
    units += cases
    least = Math.min(least, value)
    most = Math.max(most, value)
    binary &&= value === 0 || value === 1
  }
  const mean = total.value / units
  if (most - least < ROUNDING) return { mean, se: 0, units, binary }
  const squares = new Sum()
  for (const { value, cases } of values) squares.add(cases * (value - mean) ** 2)
  return { mean, se: Math.sqrt(squares.value / (units - 1) / units), units, binary }
}
