/** The mean of values that occur many times each, and how they spread around it. */
import { Sum } from '../fsum.ts'

export interface WeightedValue {
  readonly value: number
  /** How many cases have this value. */
  readonly cases: number
}

export interface Spread {
  readonly mean: number
  /** Standard error of the mean over independent units; 0 where all values agree or there is one. */
  readonly se: number
  /** What varies independently: cases, or the groups they come in. */
  readonly units: number
  /** Every value is 0 or 1. */
  readonly binary: boolean
}

/** Values that differ by less than this are one value in different roundings. */
export const ROUNDING = 1e-12

/** Mean of the values over their cases and its standard error, sd/√m with the sample's sd. */
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
