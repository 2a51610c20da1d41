/**
 * Cohen's kappa: how much more do two judges agree than by chance? Chance agreement is computed
 * from how often each judge gives each value. Unlike Krippendorff's alpha, kappa allows these
 * frequencies to differ between the judges. Weighted kappa counts a disagreement by the difference
 * of the two values, or by the square of the difference. It uses the values themselves, not their
 * ranks, so an unused value in the middle of a scale does not bring its neighbours closer together.
 *
 * The interval is the large-sample interval of Fleiss, Cohen and Everitt 1969. It uses the normal
 * quantile and the general variance, not the variance under chance agreement. If the items come in
 * groups, such as the trials of one case, the variance is computed over groups (clustered-se.ts),
 * and the interval uses the quantile of t.
 */
import { checkGroup, checkLength, checkLevel, checkNumber, checkSameLength } from '../domain.ts'
import { Sum } from '../fsum.ts'
import { clusteredSE } from '../interval/clustered-se.ts'
import { isGrouped, ONE_GROUP } from '../interval/grouped-interval.ts'
import type { Groups } from '../interval/pass-estimate.ts'
import { DEFAULT_LEVEL, type Metric } from '../metric.ts'
import { normalQuantile } from '../special/normal.ts'
import { tQuantile } from '../special/student-t.ts'

export type KappaWeights = 'none' | 'linear' | 'quadratic'

/**
 * Returns the disagreement of two values. A common factor of all disagreements would cancel in
 * kappa, so there is none.
 */
function disagreement(x: number, y: number, weights: KappaWeights): number {
  if (weights === 'none') return x === y ? 0 : 1
  return weights === 'linear' ? Math.abs(x - y) : (x - y) ** 2
}

const tally = (list: readonly number[]): Map<number, number> => {
  const counts = new Map<number, number>()
  for (const value of list) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

/**
 * Returns kappa of two judges who rated the same items. `a[i]` and `b[i]` are their ratings of item
 * i. Kappa is null if both judges gave the same value to every item, because chance agreement is
 * then complete. There is no interval, only a reason, if the judges never disagreed. `groups[i]`
 * names the group of item i.
 *
 * @example cohenKappa([1, 1, 0, 0], [1, 1, 0, 1]).value // 0.5
 */
export function cohenKappa(
  a: readonly number[],
  b: readonly number[],
  weights: KappaWeights = 'none',
  level: number = DEFAULT_LEVEL,
  groups?: Groups,
): Metric {
  checkLength('a', a)
  checkSameLength('a', a, 'b', b)
  for (const value of a) checkNumber('a', value)
  for (const value of b) checkNumber('b', value)
  checkLevel(level)
  if (groups) {
    checkSameLength('groups', groups, 'a', a)
    for (const group of groups) checkGroup(group)
  }
  const n = a.length
  const grouped = isGrouped(groups) ? { groups: new Set(groups).size } : {}
  const byA = tally(a)
  const byB = tally(b)

  /** Returns the mean disagreement of a value with all ratings of the other judge. */
  const habit = (value: number, other: Map<number, number>): number => {
    const sum = new Sum()
    for (const [y, count] of other) sum.add(count * disagreement(value, y, weights))
    return sum.value / n
  }
  const habitOfA = new Map(Array.from(byB.keys(), (y) => [y, habit(y, byA)]))
  const habitOfB = new Map(Array.from(byA.keys(), (x) => [x, habit(x, byB)]))

  const observedSum = new Sum()
  for (const [i, x] of a.entries()) observedSum.add(disagreement(x, b[i] as number, weights))
  const expectedSum = new Sum()
  for (const [x, count] of byA) expectedSum.add(count * (habitOfB.get(x) as number))
  const observed = observedSum.value / n
  const expected = expectedSum.value / n
  if (expected === 0)
    return { value: null, reason: 'both judges gave all items the same value', n, ...grouped }
  const value = 1 - observed / expected
  if (observed === 0)
    return { value, reason: 'the judges never disagreed: no spread was seen', n, ...grouped }

  // The error of kappa, to first order. Kappa is 1 minus the ratio of two means: the observed and the expected
  // disagreement. So for each item, the error is the observed disagreement minus (1 − kappa) times the disagreement
  // that is expected from the two judges' distributions.
  const share = observed / expected
  const residuals = a.map((x, i) => {
    const y = b[i] as number
    const habits = (habitOfB.get(x) as number) + (habitOfA.get(y) as number)
    return disagreement(x, y, weights) - share * habits + observed
  })
  if (grouped.groups === 1) return { value, reason: ONE_GROUP, n, ...grouped }
  const { se, reach, effectiveN } = isGrouped(groups)
    ? overGroups(residuals, groups, level)
    : overItems(residuals, level)
  const error = se / expected
  if (error <= 1e-12)
    return {
      value,
      reason: 'the disagreement is the same in all items: no spread was seen',
      n,
      ...grouped,
    }
  const half = reach * error
  return {
    value,
    n,
    ...grouped,
    se: error,
    effectiveN,
    interval: {
      low: Math.max(-1, value - half),
      high: Math.min(1, value + half),
      level,
      method: isGrouped(groups)
        ? 'Fleiss-Cohen-Everitt over groups, t'
        : 'Fleiss-Cohen-Everitt, normal',
      target: 'population',
    },
  }
}

/**
 * The precision of the mean error: its standard error, the quantile for the interval (`reach`), and the number of
 * independent items that would give the same precision.
 */
interface Spread {
  readonly se: number
  readonly reach: number
  readonly effectiveN: number
}

function overItems(residuals: readonly number[], level: number): Spread {
  const n = residuals.length
  const squares = new Sum()
  for (const residual of residuals) squares.add(residual * residual)
  const se = Math.sqrt(squares.value / n / n)
  return { se, reach: -normalQuantile((1 - level) / 2), effectiveN: n }
}

function overGroups(residuals: readonly number[], groups: Groups, level: number): Spread {
  const { se, df } = clusteredSE(residuals, groups)
  const { se: ofItems } = overItems(residuals, level)
  return {
    se,
    reach: -tQuantile((1 - level) / 2, df),
    effectiveN: se === 0 ? df + 1 : residuals.length * (ofItems / se) ** 2,
  }
}
