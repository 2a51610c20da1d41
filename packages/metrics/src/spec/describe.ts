/**
 * The documents' block of descriptive statistics. The deviation is the population's, as the document
 * wants it; `sampleDeviation` is its twin for anyone who needs a standard error, since ten runs are a
 * sample of what the subject could have done.
 *
 * Two passes with a correction term: the one-pass sum of squares gives a variance of −128 for
 * [1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16], where it is 22.5.
 */
import { checkLength } from '../domain.ts'
import { mean, Sum } from '../fsum.ts'

export interface Statistics {
  readonly median: number
  readonly mean: number
  /** The most frequent value; of several, the smallest. */
  readonly mode: number
  readonly min: number
  readonly max: number
  /** Population standard deviation; null where a value is infinite. */
  readonly stdDev: number | null
  readonly count: number
}

/**
 * Median, mean, mode, range and population standard deviation. A cost of pass may be Infinity: the
 * mean is then Infinity and the deviation null.
 *
 * @example describe([3, 1, 2]) // { median: 2, mean: 2, mode: 1, min: 1, max: 3, stdDev: 0.816496580927726, count: 3 }
 */
export function describe(values: readonly number[]): Statistics {
  checkValues(values)
  const sorted = Float64Array.from(values).sort()
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
 * Σ(v − mean)² / n: how far values lie apart, as if they were all there is.
 *
 * @example populationVariance([1, 1, 0, 1]) // 0.1875
 */
export function populationVariance(values: readonly number[]): number {
  const { squares, scale } = squaredDeviations(values)
  return (squares / values.length) * scale * scale
}

/**
 * Standard deviation with n − 1, for values that are a sample; null for a single value.
 *
 * @example sampleDeviation([1, 2, 3]) // 1
 */
export function sampleDeviation(values: readonly number[]): number | null {
  checkValues(values)
  return values.length < 2 ? null : deviation(values, values.length - 1)
}

function deviation(values: readonly number[], divisor: number): number {
  const { squares, scale } = squaredDeviations(values)
  return Math.sqrt(squares / divisor) * scale
}

/** Σ(v − mean)² in units of scale², so that squares of 1e200 or 1e-200 neither overflow nor vanish. */
function squaredDeviations(values: readonly number[]): { squares: number; scale: number } {
  checkValues(values)
  if (values.includes(Infinity)) throw new RangeError('values must be finite to have a variance')
  const centre = mean(values)
  let furthest = 0
  for (const value of values) furthest = Math.max(furthest, Math.abs(value - centre))
  if (furthest === 0) return { squares: 0, scale: 1 }
  // A power of two, so that scaling itself does not round.
  const scale = furthest > 1e140 || furthest < 1e-140 ? 2 ** Math.floor(Math.log2(furthest)) : 1
  const squares = new Sum()
  const rest = new Sum()
  for (const value of values) {
    const distance = (value - centre) / scale
    squares.add(distance * distance)
    rest.add(distance)
  }
  // The rounded mean is off by rest/n; what that adds to the squares is taken out again.
  return { squares: Math.max(0, squares.value - (rest.value * rest.value) / values.length), scale }
}

function checkValues(values: readonly number[]): void {
  checkLength('values', values)
  for (const value of values)
    if (typeof value !== 'number' || Number.isNaN(value) || value === -Infinity)
      throw new RangeError(`values must be numbers or Infinity, got ${value}`)
}

function middle(sorted: Float64Array): number {
  const half = sorted.length >> 1
  const upper = sorted[half] as number
  if (sorted.length % 2 === 1) return upper
  const lower = sorted[half - 1] as number
  const sum = lower + upper
  return Number.isFinite(sum) ? sum / 2 : lower / 2 + upper / 2
}

function mostFrequent(sorted: Float64Array): number {
  let mode = sorted[0] as number
  let most = 0
  let run = 0
  let last = Number.NaN
  for (const value of sorted) {
    run = value === last ? run + 1 : 1
    last = value
    if (run > most) {
      most = run
      mode = value
    }
  }
  return mode
}
