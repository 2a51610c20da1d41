/**
 * Relative uplift with an interval: by what share did the mean over cases grow? Both means are
 * taken over the same cases, so ln(B/A) varies as the mean of b/B − a/A does (first-order
 * linearisation), which pairs them.
 *
 * A ratio to a baseline that may be 0 has no finite interval at any confidence (Fieller 1954: it is
 * bounded exactly when the denominator differs from 0 significantly), so there is one only where
 * the baseline's own t interval lies above 0. The absolute difference always has one and should be
 * read first.
 */
import { checkBetween, checkLength, checkNumber, checkSameLength } from '../domain.ts'
import { mean } from '../fsum.ts'
import { DEFAULT_LEVEL, type Metric } from '../metric.ts'
import { sampleDeviation } from '../spec/describe.ts'
import { tQuantile } from '../special/student-t.ts'

/** Differences this small are the rounding of a division, not spread between cases. */
const ROUNDING = 1e-12

/**
 * mean(tier)/mean(baseline) − 1 over paired cases, with the interval of the log ratio. Null where
 * the baseline's mean is 0; no interval, and the reason, where the baseline may well be 0, the tier
 * is 0, there is one case, or all cases agree on the ratio.
 *
 * @example upliftRatio([0.5, 0.7, 0.6], [0.6, 0.8, 0.7]).value // 0.16666666666666663, about 1/6
 */
export function upliftRatio(
  baseline: readonly number[],
  tier: readonly number[],
  level: number = DEFAULT_LEVEL,
): Metric {
  checkLength('baseline', baseline)
  checkSameLength('baseline', baseline, 'tier', tier)
  for (const value of baseline) checkNumber('baseline', value, 0)
  for (const value of tier) checkNumber('tier', value, 0)
  checkBetween('level', level, 0, 1)
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
    interval: {
      low: Math.expm1(centre - half),
      high: Math.expm1(centre + half),
      level,
      method,
      target: 'population',
    },
  }
}
