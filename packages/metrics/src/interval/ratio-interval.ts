/**
 * The interval of a share Σ hits/Σ size over independent units, for units like these (target `population`). A unit is
 * a case with its trials, or a group of cases. The size of a unit is the number of its trials in the denominator: for
 * the precision of a class, the trials in which the class was answered.
 *
 * If no unit has more than one trial in the denominator, the share is a binomial proportion, given
 * the denominator, and the interval is exact (Clopper and Pearson). Otherwise the standard error of
 * the ratio is linearised over units, and the interval is computed as in `grouped-interval.ts`. It
 * is the exact interval for the number of independent observations that the units are worth,
 * reduced by the quantile of t with G* − 1 degrees of freedom (Korn and Graubard 1998). It always
 * allows for a share of units that are not in the sample. G* is the number of equally large units
 * that would give the same precision.
 *
 * Source: Cochran 1977, chapter 6 (ratio estimate); Korn and Graubard 1998.
 */
import { fsum } from '../fsum.ts'
import type { Interval, Metric } from '../metric.ts'
import { normalQuantile } from '../special/normal.ts'
import { tQuantile } from '../special/student-t.ts'
import { withUnseenShare } from './grouped-interval.ts'
import { kornGraubard } from './proportion/clopper-pearson.ts'
import { ROUNDING } from './weighted-mean.ts'

/**
 * One unit: `size` is the number of its trials in the denominator, and `hits` is how many of these
 * count in the numerator.
 */
export interface RatioUnit {
  readonly size: number
  readonly hits: number
}

/**
 * Returns the share with its interval. `n` of the result is the denominator. If the denominator is
 * 0, the value is null and `empty` is the reason.
 */
export function ratioEstimate(
  units: readonly RatioUnit[],
  level: number,
  empty: string,
  areGroups: boolean,
): Metric {
  const used = units.filter(({ size }) => size > 0)
  const n = fsum(used.map(({ size }) => size))
  if (n === 0) return { value: null, reason: empty, n: 0 }
  const value = fsum(used.map(({ hits }) => hits)) / n
  const grouped = areGroups ? { groups: used.length } : {}
  const rest = { level, target: 'population' } as const
  if (used.every(({ size }) => size === 1)) {
    const interval: Interval = {
      ...kornGraubard(value, n, level),
      ...rest,
      method: 'Clopper-Pearson over cases',
    }
    return { value, n, ...grouped, effectiveN: n, interval }
  }
  if (used.length < 2)
    return {
      value,
      n,
      ...grouped,
      reason: 'one case or group says nothing about others: no interval',
    }
  const { se, effectiveUnits } = linearised(used, value, n)
  const tail = (1 - level) / 2
  const shrink = (normalQuantile(tail) / tQuantile(tail, effectiveUnits - 1)) ** 2
  const effectiveN =
    se < ROUNDING ? null : Math.min(((value * (1 - value)) / (se * se)) * shrink, n)
  const interval: Interval = {
    ...withUnseenShare(value, effectiveN, effectiveUnits, level),
    ...rest,
    method: areGroups
      ? 'Korn-Graubard with unseen share, over groups'
      : 'Korn-Graubard with unseen share',
  }
  return { value, n, ...grouped, se, effectiveN: effectiveN ?? effectiveUnits, interval }
}

/**
 * Returns the standard error of the ratio, and the number of equally large units that would give
 * the same precision.
 */
function linearised(
  units: readonly RatioUnit[],
  ratio: number,
  n: number,
): { readonly se: number; readonly effectiveUnits: number } {
  const count = units.length
  const squares = fsum(units.map(({ hits, size }) => (hits - ratio * size) ** 2))
  const sizes = fsum(units.map(({ size }) => size * size))
  return { se: Math.sqrt((count / (count - 1)) * squares) / n, effectiveUnits: (n * n) / sizes }
}
