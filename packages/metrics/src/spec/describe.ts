/**
 * The descriptive statistics that the document metrics-formulas defines. It requires the population
 * standard deviation (divided by n). `sampleDeviation` (divided by n − 1) is for standard errors,
 * because ten runs are only a sample of all possible runs.
 *
 * The variance is computed in two passes over the values: the first computes the mean, the second
 * the squared deviations, with a correction for the rounding of the mean. The one-pass formula with
 * the sum of squares would give a variance of −128 for [1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16]; the
 * true value is 22.5.
 */
import { checkLength } from '../domain.ts'
import { mean, Sum } from '../fsum.ts'

export interface Statistics {
  readonly median: number
  readonly mean: number
  /**
   * The most frequent value. If several values are equally frequent, the mode is the smallest of
   * them.
   */
  readonly mode: number
  readonly min: number
  readonly max: number
  /** Population standard deviation; null if a value is infinite. */
  readonly stdDev: number | null
  readonly count: number
}

/**
 * Returns the median, mean, mode, range and population standard deviation. A value may be Infinity,
 * as a cost of pass can be. The mean is then Infinity and the deviation is null. The mode is
 * computed from the values rounded to six decimals, so that values which differ only by rounding
 * count as equal.
 *
 * @example describe([3, 1, 2]) // { median: 2, mean: 2, mode: 1, min: 1, max: 3, stdDev: 0.816496580927726, count: 3 }
 */
export function describe(values: readonly number[] | Float64Array): Statistics {
  checkValues(values)
  const sorted = new Float64Array(values).sort()
  const count = sorted.length
  const min = sorted[0] as number
  const max = sorted[count - 1] as number
  const finite = max !== Infinity
  return {
    median: middle(sorted),
    mean: finite ? mean(sorted) : Infinity,
    mode: mostFrequent(sorted),
    min,
    max,
    stdDev: finite ? deviation(values, count) : null,
    count,
  }
}

/**
 * Returns Σ(v − mean)² / n, the variance of n values v if the values are the whole population and
 * not a sample.
 *
 * @example populationVariance([1, 1, 0, 1]) // 0.1875
 */
export function populationVariance(values: readonly number[]): number {
  const { squares, scale } = squaredDeviations(values)
  return (squares / values.length) * scale * scale
}

/**
 * Returns the standard deviation with the divisor n − 1, for n values that are a sample. The result
 * is null for a single value.
 *
 * @example sampleDeviation([1, 2, 3]) // 1
 */
export function sampleDeviation(values: readonly number[]): number | null {
  checkValues(values)
  return values.length < 2 ? null : deviation(values, values.length - 1)
}

type Values = readonly number[] | Float64Array

function deviation(values: Values, divisor: number): number {
  const { squares, scale } = squaredDeviations(values)
  return Math.sqrt(squares / divisor) * scale
}

/** Rounds to six decimals. Infinity is returned unchanged. */
const sixDigits = (value: number): number =>
  Number.isFinite(value) ? Number(value.toFixed(6)) : value

/**
 * Returns Σ(v − mean)² divided by scale². Without the scale, squares of deviations such as 1e200 or
 * 1e-200 would be too large or too small for a double.
 */
function squaredDeviations(values: Values): { squares: number; scale: number } {
  checkValues(values)
  if (values.includes(Infinity)) throw new RangeError('values must be finite to have a variance')
  const centre = mean(values)
  let furthest = 0
  // This loop and the one below use an index, because an iterator would create an object per value,
  // and there can be a million values.
  for (let i = 0; i < values.length; i++)
    furthest = Math.max(furthest, Math.abs((values[i] as number) - centre))
  if (furthest === 0) return { squares: 0, scale: 1 }
  // The scale is a power of two, so that the division by it does not round.
  const scale = furthest > 1e140 || furthest < 1e-140 ? 2 ** Math.floor(Math.log2(furthest)) : 1
  const squares = new Sum()
  const rest = new Sum()
  for (let i = 0; i < values.length; i++) {
    const distance = ((values[i] as number) - centre) / scale
    squares.add(distance * distance)
    rest.add(distance)
  }
  // The rounded mean has an error of rest/n. The effect of this error on the sum of squares is
  // subtracted.
  return { squares: Math.max(0, squares.value - (rest.value * rest.value) / values.length), scale }
}

function checkValues(values: Values): void {
  checkLength('values', values)
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number
    if (typeof value !== 'number' || Number.isNaN(value) || value === -Infinity)
      throw new RangeError(`values must be numbers or Infinity, got ${value}`)
  }
}

function middle(sorted: Float64Array): number {
  const half = sorted.length >> 1
  const upper = sorted[half] as number
  if (sorted.length % 2 === 1) return upper
  const lower = sorted[half - 1] as number
  const sum = lower + upper
  return Number.isFinite(sum) ? sum / 2 : lower / 2 + upper / 2
}

/** Returns the most frequent of the values rounded to six decimals. */
function mostFrequent(sorted: Float64Array): number {
  let mode = Number.NaN
  let most = 0
  let run = 0
  let exact = Number.NaN
  let last = Number.NaN
  for (let i = 0; i < sorted.length; i++) {
    const value = sorted[i] as number
    // Rounding is slow. Equal values follow each other in the sorted list, so the last rounded
    // value is used again for them.
    const rounded: number = value === exact ? last : sixDigits(value)
    exact = value
    run = rounded === last ? run + 1 : 1
    last = rounded
    if (run > most) {
      most = run
      mode = rounded
    }
  }
  return mode
}
