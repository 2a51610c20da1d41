/**
 * Relative uplift with an interval: by what share is the mean B of a tier above the mean A of the
 * baseline? Both means are over the same cases. To first order, ln(B/A) varies like the mean over
 * cases of b/B − a/A, where a and b are the values of one case. So the spread of these paired
 * differences gives the interval.
 *
 * If the true baseline can be 0, the ratio has no finite interval (Fieller 1954: the interval is
 * bounded exactly if the denominator differs significantly from 0). So an interval is returned only
 * if the t interval of the baseline is above 0. The absolute difference does not have this problem
 * and should be read first.
 */
import { checkGroup, checkLength, checkLevel, checkNumber, checkSameLength } from '../domain.ts'
import { mean } from '../fsum.ts'
import { sumsByGroup } from '../interval/clustered-se.ts'
import { isGrouped, ONE_GROUP } from '../interval/grouped-interval.ts'
import type { Groups } from '../interval/pass-estimate.ts'
import { DEFAULT_LEVEL, type Metric } from '../metric.ts'
import { sampleDeviation } from '../spec/describe.ts'
import { tQuantile } from '../special/student-t.ts'

/** If the spread between cases is at most this, it is only the rounding error of a division. */
const ROUNDING = 1e-12

/**
 * Returns mean(tier)/mean(baseline) − 1 over paired cases, with an interval from the log ratio. The
 * value is null if the baseline's mean is 0. There is no interval, only a reason, if the baseline
 * is not clearly above 0, the tier is 0, there is only one case, or all cases have the same ratio.
 * `groups[i]` names the group of case i. If there are groups, they count instead of the cases.
 *
 * @example upliftRatio([0.5, 0.7, 0.6], [0.6, 0.8, 0.7]).value // 0.16666666666666663, about 1/6
 */
export function upliftRatio(
  baseline: readonly number[],
  tier: readonly number[],
  level: number = DEFAULT_LEVEL,
  groups?: Groups,
): Metric {
  checkLength('baseline', baseline)
  checkSameLength('baseline', baseline, 'tier', tier)
  for (const value of baseline) checkNumber('baseline', value, 0)
  for (const value of tier) checkNumber('tier', value, 0)
  checkLevel(level)
  if (groups) {
    checkSameLength('groups', groups, 'baseline', baseline)
    for (const group of groups) checkGroup(group)
  }
  if (!isGrouped(groups)) return ratioOver(baseline, tier, level)
  // The sums over groups can replace the cases here, because their ratio is the ratio of the means
  // over cases.
  const [from, to] = [sumsByGroup(baseline, groups), sumsByGroup(tier, groups)]
  const { interval, reason, ...rest } = ratioOver(from, to, level)
  const method = 'log ratio, linearised over groups, t'
  return {
    ...rest,
    n: baseline.length,
    groups: from.length,
    ...(reason === undefined ? {} : { reason: from.length === 1 ? ONE_GROUP : reason }),
    ...(interval === undefined ? {} : { interval: { ...interval, method } }),
  }
}

function ratioOver(baseline: readonly number[], tier: readonly number[], level: number): Metric {
  const n = baseline.length
  const from = mean(baseline)
  const to = mean(tier)
  if (from === 0)
    return { value: null, reason: 'the baseline is 0: no percentage leads away from it', n }
  const value = (to - from) / from
  const without = (reason: string): Metric => ({ value, reason, n })
  if (to === 0) return without('the tier is 0, where a log ratio has no interval')
  const spread = sampleDeviation(baseline)
  if (spread === null) return without('one case says nothing about others')
  const t = -tQuantile((1 - level) / 2, n - 1)
  if (from - (t * spread) / Math.sqrt(n) <= 0)
    return without('the baseline is not clearly above 0, so the ratio has no bounded interval')
  const shares = tier.map((x, i) => x / to - (baseline[i] as number) / from)
  const deviation = sampleDeviation(shares) as number
  if (deviation <= ROUNDING)
    return without('the ratio is the same in all cases: no spread was seen')
  const half = (t * deviation) / Math.sqrt(n)
  const centre = Math.log(to / from)
  const method = 'log ratio, linearised over paired cases, t'
  return {
    value,
    n,
    // The relative change is the ratio minus 1, so it has the standard error of the ratio. To first
    // order, this is the ratio times the standard error of its logarithm.
    se: (to / from) * (deviation / Math.sqrt(n)),
    effectiveN: n,
    interval: {
      low: Math.expm1(centre - half),
      high: Math.expm1(centre + half),
      level,
      method,
      target: 'population',
    },
  }
}
