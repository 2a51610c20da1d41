/**
 * The p-value that belongs to an interval: one minus the largest level at which the interval
 * excludes the value. With this p-value, the interval of the level 1 − alpha excludes the value
 * exactly where p < alpha. So a p-value and the interval next to it never contradict each other.
 *
 * An interval of a higher level contains the intervals of lower levels, so there is only one such
 * p-value. The code searches for the logarithm of p by the method of false position (Illinois
 * variant), which needs few steps. Few steps matter, because each step computes an interval, which
 * may need a loop over all cases.
 */
import { checkBetween, checkNumber } from '../domain.ts'
import { DEFAULT_LEVEL, type Bounds } from '../metric.ts'

/** The smallest p-value that the search can return. A smaller p-value is reported as this one. */
const LEAST_P = 1e-9
/** The search for the logarithm of p stops at this precision. */
const NEAR_ENOUGH = 1e-7
const MOST_STEPS = 60

/**
 * Returns the p-value of the hypothesis "the true value is `value`". `intervalAt` returns the
 * interval for a level. The result is null if there is no interval. The search starts at `level`,
 * the level of the interval that is shown, so that p < 1 − level exactly if that interval excludes
 * the value, even if p is almost equal to 1 − level.
 *
 * @example
 * intervalP(0, (level) => pairedDifference([0.2, 0.4, 0.6], [0.4, 0.8, 0.6], level).interval)
 * // 0.2254, the p-value of the t test
 */
export function intervalP(
  value: number,
  intervalAt: (level: number) => Bounds | null,
  level: number = DEFAULT_LEVEL,
): number | null {
  checkNumber('value', value)
  checkBetween('level', level, 0, 1)
  /**
   * Returns how far the value is outside the interval of the level `at`. Negative if it is inside. The distance
   * decreases as the level rises.
   */
  const outside = (at: number): number => {
    const interval = intervalAt(at)
    return interval === null ? Number.NaN : Math.max(interval.low - value, value - interval.high)
  }
  const outsideAt = (log: number): number => outside(1 - Math.exp(log))
  const shown = outside(level)
  if (Number.isNaN(shown)) return null
  const middle = Math.log1p(-level)
  const excluded = shown > 0
  let [low, high] = excluded ? [Math.log(LEAST_P), middle] : [middle, Math.log1p(-LEAST_P)]
  let [atLow, atHigh] = excluded ? [outsideAt(low), shown] : [shown, outsideAt(high)]
  if (Number.isNaN(atLow) || Number.isNaN(atHigh)) return null
  if (atHigh <= 0) return 1
  if (atLow > 0) return LEAST_P
  for (let step = 0, side = 0; step < MOST_STEPS && high - low > NEAR_ENOUGH; step++) {
    const next = (low * atHigh - high * atLow) / (atHigh - atLow)
    if (next <= low || next >= high) break
    const at = outsideAt(next)
    if (Math.abs(at) < 1e-12) return Math.exp(next)
    if (at > 0) {
      ;[high, atHigh] = [next, at]
      if (side === 1) atLow /= 2
      side = 1
    } else {
      ;[low, atLow] = [next, at]
      if (side === -1) atHigh /= 2
      side = -1
    }
  }
  return Math.exp((low + high) / 2)
}
