/**
 * Did the average change on cases like these? Both subjects answered the same cases, so the test uses the differences
 * per case. Most of the spread between cases cancels in the differences, so the test detects small changes. An unpaired
 * test of the same data detects almost none of them.
 *
 * The mean difference gets a t interval over cases. If cases share a template or a repository, the interval is computed
 * over these groups instead, with the standard error for groups that is called CR1 (clustered-se.ts). If the change
 * comes from few cases, the differences are skewed, and the interval reaches further on the side of these cases
 * (skewness-reach.ts). The p-value is the one that belongs to this interval. All of this applies to scores from 0 to 1.
 * Values on another scale, such as logarithms of costs, get the plain t interval, as in upliftRatio.
 *
 * If all m differences have the same value d, the t interval has no width. It would claim certainty
 * from, say, five cases that all agree. But other cases can exist that behave differently and are
 * absent from these m by chance. Their share can be up to 1 − s with s = (alpha/2)^(1/m), where
 * alpha is 1 − level, and their differences can be −1 or 1. So the interval is [s·d − (1 − s), s·d
 * + (1 − s)]. (d ± (1 − s) would be too short, because only a share s of all cases must have the
 * difference d.) The p-value is the largest probability of m equal differences d among scores in
 * [0, 1] whose true mean difference is 0: (1 + |d|)^−m on each side. So the interval excludes 0
 * exactly where p < alpha.
 *
 * Source: Miller 2024, Adding Error Bars to Evals; CR1 after Liang and Zeger 1986.
 */
import { checkGroup, checkLength, checkLevel, checkNumber, checkSameLength } from '../domain.ts'
import { mean } from '../fsum.ts'
import { clusteredSE } from '../interval/clustered-se.ts'
import { isGrouped } from '../interval/grouped-interval.ts'
import { skewnessReach } from '../interval/skewness-reach.ts'
import { DEFAULT_LEVEL, type Bounds, type Interval } from '../metric.ts'
import { normalQuantile } from '../special/normal.ts'
import { tQuantile, tSf } from '../special/student-t.ts'
import { intervalP } from './interval-p.ts'

export interface PairedDifference {
  /** Mean of B − A over the cases. */
  readonly difference: number
  /** The number of cases. */
  readonly n: number
  /** The number of independent units: groups if they were given, otherwise cases. */
  readonly units: number
  /**
   * Standard error of the difference; 0 if all units agree. With one unit, `se` and all fields
   * below are null.
   */
  readonly se: number | null
  readonly df: number | null
  /** The two-sided p-value of the hypothesis "there is no difference on average". */
  readonly p: number | null
  readonly interval: Interval | null
}

/**
 * If the standard error is at most this share of the largest value, all differences count as equal.
 * A variation that small is only the rounding error of the subtraction B − A.
 */
const ROUNDING = 1e-12

/**
 * Returns the mean difference B − A over cases, with its t interval and two-sided p-value. a[i] and
 * b[i] are the scores of the two subjects on case i. `groups[i]` names the group of case i, for
 * example the template that it shares with other cases. The interval and p are null if there is
 * only one unit, or if all units agree and the values are not scores. `scale` says whether the
 * values are scores from 0 to 1. By default, they count as scores if all of them are from 0 to 1.
 * Logarithms can be in that range too, so `scale` must be given for them.
 *
 * @example pairedDifference([0.2, 0.4, 0.6], [0.4, 0.8, 0.6]).p // 0.2254033307585167
 */
export function pairedDifference(
  a: readonly number[],
  b: readonly number[],
  level: number = DEFAULT_LEVEL,
  groups?: readonly (string | number)[],
  scale: 'scores' | 'any' = areScores(a) && areScores(b) ? 'scores' : 'any',
): PairedDifference {
  checkSameLength('a', a, 'b', b)
  checkLength('a', a)
  for (const value of a) checkNumber('a', value)
  for (const value of b) checkNumber('b', value)
  checkLevel(level)
  if (groups) {
    checkSameLength('groups', groups, 'a', a)
    for (const group of groups) checkGroup(group)
  }
  const differences = b.map((value, i) => value - (a[i] as number))
  const n = differences.length
  const units = groups ? new Set(groups).size : n
  if (units < 2)
    return { difference: mean(differences), n, units, se: null, df: null, p: null, interval: null }

  const clusters = groups ?? differences.map((_, i) => i)
  const { mean: difference, se, df, residuals } = clusteredSE(differences, clusters)
  const values = [...a, ...b]
  const isBounded = scale === 'scores'
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  if (se <= ROUNDING * largest) {
    return { difference, n, units, se: 0, df, ...agreement(isBounded, difference, units, level) }
  }
  const boundsAt = (at: number): Bounds => {
    const tail = (1 - at) / 2
    const reach = -tQuantile(tail, df) * se
    const skew = isBounded ? skewnessReach(residuals, -normalQuantile(tail)) / n : 0
    return {
      low: difference - reach + Math.min(0, skew),
      high: difference + reach + Math.max(0, skew),
    }
  }
  const { low, high } = boundsAt(level)
  const unit = isGrouped(groups) ? 'groups' : 'cases'
  const interval: Interval = {
    // Two scores from 0 to 1 differ by at most 1, but a t interval over few cases can be wider.
    low: isBounded ? Math.max(-1, low) : low,
    high: isBounded ? Math.min(1, high) : high,
    level,
    method: isBounded ? METHODS.widened[unit] : METHODS.plain[unit],
    target: 'population',
  }
  // If the interval was widened towards 0, p belongs to the widened interval. Otherwise it is the p of the t
  // test.
  const isWidened = isBounded && difference * skewnessReach(residuals, 1) < 0
  const p = isWidened ? intervalP(0, boundsAt, level) : 2 * tSf(Math.abs(difference) / se, df)
  return { difference, n, units, se, df, p, interval }
}

const areScores = (values: readonly number[]): boolean =>
  values.every((value) => value >= 0 && value <= 1)

const METHODS = {
  plain: { cases: 'paired t over cases', groups: 'paired t over groups' },
  widened: {
    cases: 'paired t over cases, widened for skewness',
    groups: 'paired t over groups, widened for skewness',
  },
} as const

/** Returns the interval and the p-value if all units (cases or groups) have the same difference. */
function agreement(
  bounded: boolean,
  difference: number,
  units: number,
  level: number,
): Pick<PairedDifference, 'interval' | 'p'> {
  // Without bounds on the scores, a case outside this sample could move the mean by any amount.
  if (!bounded) return { interval: null, p: null }
  // If less than the share `agreeing` of all cases had the observed difference, the probability of
  // seeing only such cases would be below (1 − level)/2. So at least this share has the observed
  // difference. The other cases may have any difference from −1 to 1.
  const agreeing = Math.exp(Math.log((1 - level) / 2) / units)
  const interval: Interval = {
    low: (1 + difference) * agreeing - 1,
    high: 1 - (1 - difference) * agreeing,
    level,
    method: 'unseen share of equal cases',
    target: 'population',
  }
  return { interval, p: Math.min(1, 2 * (1 + Math.abs(difference)) ** -units) }
}
