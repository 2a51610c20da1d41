/**
 * Sample quantiles, type 7 of Hyndman and Fan 1996 (the default of R and NumPy): the sorted values
 * are placed at equal distances from p = 0 to p = 1, with linear interpolation between them. For
 * example, with 9999 resamples the ends of a 95 % interval are within 0.05 steps of one of the
 * values, where a step is the distance between two neighbouring values.
 */
import { checkLength, checkNumber } from '../domain.ts'

/**
 * Returns the p-quantile of values in ascending order. Infinite values are allowed. Between a
 * finite and an infinite value the quantile is infinite. Between −∞ and +∞ there is no quantile,
 * and the function throws a RangeError.
 *
 * @example quantile([1, 2, 3, 10], 0.5) // 2.5
 */
export function quantile(sortedValues: ArrayLike<number>, p: number): number {
  checkLength('sortedValues', sortedValues)
  checkNumber('p', p, 0, 1)
  let before = -Infinity
  for (let i = 0; i < sortedValues.length; i++) {
    const value = sortedValues[i] as number
    // This also rejects NaN, because every comparison with NaN is false.
    if (!(value >= before))
      throw new RangeError(`sortedValues must be sorted upwards, got ${value} after ${before}`)
    before = value
  }
  const value = sortedQuantile(sortedValues, p)
  if (value === null) throw new RangeError(`the ${p}-quantile is between -Infinity and Infinity`)
  return value
}

/**
 * Does the same as `quantile`, without its checks, for values that are known to be sorted. The
 * result is null if the quantile is between −∞ and +∞.
 */
export function sortedQuantile(sortedValues: ArrayLike<number>, p: number): number | null {
  const position = p * (sortedValues.length - 1)
  // 0.55 · 100 is 55.00000000000001 in doubles. Without this check, the rounding error would
  // include the next value in the interpolation, and the result would be Infinity if the next value
  // is Infinity.
  const nearest = Math.round(position)
  if (Math.abs(position - nearest) <= 4 * Number.EPSILON * position)
    return sortedValues[nearest] as number
  const below = Math.floor(position)
  const low = sortedValues[below] as number
  const high = sortedValues[below + 1] as number
  if (low === high) return low
  if (low === -Infinity && high === Infinity) return null
  // Unlike low + fraction · (high − low), this formula is infinite only if `low` or `high` is
  // infinite.
  const fraction = position - below
  return (1 - fraction) * low + fraction * high
}
