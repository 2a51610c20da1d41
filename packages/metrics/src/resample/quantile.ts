/**
 * Sample quantiles, type 7 of Hyndman and Fan 1996 (R's and NumPy's default): the values are put at
 * equal steps from p = 0 to p = 1 and joined by straight lines. With B = 9999 resamples the ends of
 * a 95 % interval then fall on order statistics but for a step of 0.05.
 */
import { checkLength, checkNumber } from '../domain.ts'

/**
 * The p-quantile of values sorted upwards. Infinite values are allowed: between a finite and an
 * infinite neighbour the answer is infinite, and between −∞ and +∞ there is none (RangeError).
 *
 * @example quantile([1, 2, 3, 10], 0.5) // 2.5
 */
export function quantile(sortedValues: ArrayLike<number>, p: number): number {
  checkLength('sortedValues', sortedValues)
  checkNumber('p', p, 0, 1)
  let before = -Infinity
  for (let i = 0; i < sortedValues.length; i++) {
    const value = sortedValues[i] as number
    // Also refuses NaN, which is not above anything.
    if (!(value >= before))
      throw new RangeError(`sortedValues must be sorted upwards, got ${value} after ${before}`)
    before = value
  }
  const value = sortedQuantile(sortedValues, p)
  if (value === null) throw new RangeError(`the ${p}-quantile lies between -Infinity and Infinity`)
  return value
}

/** `quantile` without its checks, for values this package sorted itself; null between −∞ and +∞. */
export function sortedQuantile(sortedValues: ArrayLike<number>, p: number): number | null {
  const position = p * (sortedValues.length - 1)
  // 0.55 · 100 is 55.00000000000001: a step onto the next value by rounding alone would be Infinity
  // if that is.
  const nearest = Math.round(position)
  if (Math.abs(position - nearest) <= 4 * Number.EPSILON * position)
    return sortedValues[nearest] as number
  const below = Math.floor(position)
  const low = sortedValues[below] as number
  const high = sortedValues[below + 1] as number
  if (low === high) return low
  if (low === -Infinity && high === Infinity) return null
  // This form, unlike low + fraction · (high − low), overflows only where an end is infinite.
  const fraction = position - below
  return (1 - fraction) * low + fraction * high
}
