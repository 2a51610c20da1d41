/**
 * Interprets the variance of the tiers' pass rates as the metrics-formulas specification does. Low variance means that
 * the tiers are consistent (prompt insensitive). High variance means that they differ (prompt sensitive). Which
 * variance is low depends on the number of trials. So the decision is based on evidence: on the test of whether tiers
 * differ at all, and on the intervals of their differences from the baseline.
 */
import type { ReportTiers, TierMetric } from '../schema/report.ts'

type Sensitivity = Exclude<ReportTiers['sensitivity'], undefined>

const ALPHA = 0.05
/** A pass rate counts as equal to the baseline's if the two differ by no more than this. */
const EQUAL = 0.05

/** Says whether the pass rates depend on the tier, and why. Null if there are fewer than two tiers to compare. */
export function tierSensitivity(metrics: readonly TierMetric[]): Sensitivity {
  const rates = metrics.find(({ metric }) => metric === 'passRate')
  if (rates === undefined || rates.means.length < 2) return null
  const { omnibus, differences } = rates
  if (omnibus !== null && omnibus.p <= ALPHA)
    return {
      reading: 'sensitive',
      why: `pass rates differ between tiers (${omnibus.test}, p ${pText(omnibus.p)})`,
    }
  const intervals = differences.flatMap((one) => (one === null ? [] : [one.fixed.interval]))
  const isEqual = intervals.every(
    (one) => one !== undefined && one.low >= -EQUAL && (one.high ?? Infinity) <= EQUAL,
  )
  if (intervals.length > 0 && isEqual)
    return {
      reading: 'insensitive',
      why: `no tier's pass rate differs from the baseline's by more than ${100 * EQUAL} points on these cases`,
    }
  return {
    reading: 'undecided',
    why: `no difference of pass rates is shown${omnibus === null ? '' : ` (p ${pText(omnibus.p)})`}, and differences of more than ${100 * EQUAL} points are not ruled out; more trials would decide it`,
  }
}

const pText = (p: number): string => (p < 0.001 ? '< 0.001' : p.toFixed(3))
