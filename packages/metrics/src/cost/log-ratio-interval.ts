/**
 * Intervals for ln R, the logarithm of a cost of pass R = Σ cost/Σ passes.
 *
 * Costs are skewed: a few cases or trials make up much of the sum, and the most expensive kinds are often missing from
 * a sample. So the t interval of the linearised ratio contains the true value too rarely: 69 to 90 % of the time for
 * log-normal costs with σ from 1.5 to 2. Here σ is the standard deviation of the logarithm of the costs. There are two
 * other methods, but each of them also fails in some situations. Their coverage (how often the interval contains the
 * true value) is then too low:
 *
 * - bootstrap-t: resamples show how skewed the t statistic is, but no resample has a cost above the
 *   largest observed one. Its coverage is 79 % if the costs of whole cases have σ 2.
 * - a log-normal model of the costs (Cox's interval for its mean), combined with the interval of the
 *   pass rate. It is right in that situation, but its coverage is 86 % if costs are sums of
 *   log-normal ones.
 *
 * So the result is the smallest interval that contains the intervals of all three methods. Its
 * coverage was at least 92 % for σ from 0.3 to 2 within and between cases, and 94 % up to σ 1, with
 * 10 to 50 cases. If costs hardly vary, it is as wide as the t interval.
 *
 * Two facts about R = mean cost of a trial/pass rate limit the interval:
 *
 * - The pass rate is at most 1, so R is at least the mean cost of a trial. The lower bound of that mean
 *   is a lower bound of R.
 * - R is at most the upper bound of that mean divided by the lower bound of the pass rate. If each is
 *   wrong with half the error probability, this holds at the full level (Bonferroni), also if costs and
 *   passes are correlated. It limits the bootstrap-t only: if almost all cases pass, some resamples have
 *   only passes and so hardly any spread, and their t statistics have no limit.
 *
 * Source: Efron and Tibshirani 1993, chapter 12 (bootstrap-t); Land 1971 and Zhou and Gao 1997 (Cox's
 * method); Zou and Donner 2008 (combining two intervals).
 */
import { fsum } from '../fsum.ts'
import { passRateEstimate } from '../interval/pass-estimate.ts'
import type { Bounds, CaseCounts } from '../metric.ts'
import { sortedQuantile } from '../resample/quantile.ts'
import { randomState } from '../resample/random.ts'
import { forEachResample } from '../resample/resample-weights.ts'
import { sampleDeviation } from '../spec/describe.ts'
import { tQuantile } from '../special/student-t.ts'

/** One case: n trials, of which c passed, and the total cost of the n trials. */
export interface CaseCost extends CaseCounts {
  readonly cost: number
}

/**
 * The number of resamples. (999 + 1) · 0.025 is an integer, so the ends of a 95 % interval are
 * almost exactly two of the sorted resampled values.
 */
const RESAMPLES = 999

/**
 * If there are more cases than this, resampling is too slow, and only the t interval and the
 * log-normal model are used.
 */
const MOST_RESAMPLED = 5000

/**
 * A resample whose standard error is below this share of the observed one has no usable spread. All its
 * cases have almost the same cost per pass, and its t statistic may be due to rounding only.
 */
const LEAST_SPREAD = 0.01

/** Returns the relative standard error of R, which to first order is the standard error of ln R. */
export function relativeError(cases: readonly CaseCost[], ratio: number): number {
  const residuals = cases.map((x) => x.cost - ratio * x.c)
  const cost = fsum(cases.map((x) => x.cost))
  return ((sampleDeviation(residuals) ?? 0) * Math.sqrt(cases.length)) / cost
}

/** Returns the t interval of the linearised ratio, as bounds of ln R. */
export function linearisedBounds(
  logRatio: number,
  se: number,
  units: number,
  level: number,
): Bounds {
  const reach = -tQuantile((1 - level) / 2, units - 1) * se
  return { low: logRatio - reach, high: logRatio + reach }
}

/**
 * Returns ln R of a resample and its standard error. The result is null if the resample has no pass
 * or no cost.
 */
function resampled(
  costs: Float64Array,
  passes: Float64Array,
  weights: Float64Array,
): { logRatio: number; se: number } | null {
  const { length } = costs
  let cost = 0
  let passed = 0
  for (let i = 0; i < length; i++) {
    cost += (weights[i] as number) * (costs[i] as number)
    passed += (weights[i] as number) * (passes[i] as number)
  }
  if (cost === 0 || passed === 0) return null
  const ratio = cost / passed
  let squares = 0
  for (let i = 0; i < length; i++) {
    const residual = (costs[i] as number) - ratio * (passes[i] as number)
    squares += (weights[i] as number) * residual * residual
  }
  return { logRatio: Math.log(ratio), se: Math.sqrt((squares * length) / (length - 1)) / cost }
}

/**
 * Returns the bootstrap-t interval of ln R. The result is null if there are too many cases, or too
 * many resamples without spread.
 */
function bootstrapT(
  cases: readonly CaseCost[],
  logRatio: number,
  se: number,
  level: number,
  seed: number,
): Bounds | null {
  if (cases.length > MOST_RESAMPLED) return null
  // The cases are sorted, so that their order does not change the interval.
  const sorted = cases.toSorted((a, b) => a.cost - b.cost || a.c - b.c || a.n - b.n)
  const costs = Float64Array.from(sorted, (x) => x.cost)
  const passes = Float64Array.from(sorted, (x) => x.c)
  const multiplicity = new Float64Array(sorted.length).fill(1)
  const rows = { cases: sorted.length, multiplicity, columns: [] }
  const below: number[] = []
  const above: number[] = []
  forEachResample(rows, randomState(seed), RESAMPLES, (weights) => {
    const one = resampled(costs, passes, weights)
    // A resample without a value could have had any value, so it widens the interval at both ends.
    const isKnown = one !== null && one.se > LEAST_SPREAD * se
    const t = isKnown ? (one.logRatio - logRatio) / one.se : 0
    below.push(isKnown ? t : -Infinity)
    above.push(isKnown ? t : Infinity)
  })
  const low = sortedQuantile(Float64Array.from(above).sort(), (1 + level) / 2)
  const high = sortedQuantile(Float64Array.from(below).sort(), (1 - level) / 2)
  if (low === null || high === null || low === Infinity || high === -Infinity) return null
  return { low: logRatio - low * se, high: logRatio - high * se }
}

/**
 * Returns how far the bounds of a log-normal model of the cases' costs per trial (Cox's method) are
 * from the logarithm of the observed mean cost. The distances are never negative. The result is
 * null if a case has no cost.
 */
function coxReach(cases: readonly CaseCost[], level: number): Bounds | null {
  if (cases.some(({ cost }) => cost === 0)) return null
  const logs = cases.map(({ cost, n }) => Math.log(cost / n))
  const variance = (sampleDeviation(logs) ?? 0) ** 2
  const middle = fsum(logs) / logs.length + variance / 2
  const df = cases.length - 1
  const se = Math.sqrt(variance / cases.length + (variance * variance) / (2 * df))
  const model = linearisedBounds(middle, se, cases.length, level)
  const observed = Math.log(fsum(cases.map(({ cost, n }) => cost / n)) / cases.length)
  return { low: Math.max(0, observed - model.low), high: Math.max(0, model.high - observed) }
}

/**
 * Returns how far the bounds of the population pass rate are from the observed rate, as differences
 * of logarithms. The result is null if the pass rate has no interval or its lower bound is 0.
 */
function rateReach(cases: readonly CaseCounts[], level: number): Bounds | null {
  const { value, interval } = passRateEstimate(cases, 'population', level)
  if (value === null || interval === undefined || interval.low === 0) return null
  return { low: Math.log(value / interval.low), high: Math.log(interval.high / value) }
}

/**
 * Returns the interval of ln R from a log-normal model of the cases' costs per trial, combined with
 * the population interval of the pass rate. The result is null if a case has no cost, if the pass
 * rate has no interval, or if its lower bound is 0.
 */
export function modelBounds(
  cases: readonly CaseCost[],
  logRatio: number,
  level: number,
): Bounds | null {
  const cost = coxReach(cases, level)
  const rate = rateReach(cases, level)
  if (cost === null || rate === null) return null
  // The cost of pass is low if the cost is low and the pass rate is high. So the lower bound uses
  // the upper bound of the pass rate.
  return {
    low: logRatio - Math.hypot(cost.low, rate.high),
    high: logRatio + Math.hypot(cost.high, rate.low),
  }
}

function hull(parts: readonly (Bounds | null)[]): Bounds {
  const all = parts.filter((bounds) => bounds !== null)
  return {
    low: Math.min(...all.map(({ low }) => low)),
    high: Math.max(...all.map(({ high }) => high)),
  }
}

/**
 * Returns the bounds of the logarithm of the mean cost of a trial, whether it passes or not. It
 * uses the same three methods as for ln R.
 */
function trialCostBounds(cases: readonly CaseCost[], level: number, seed: number): Bounds {
  const all = cases.map(({ n, cost }) => ({ n, c: n, cost }))
  const mean = meanTrialCost(cases)
  const [logMean, se] = [Math.log(mean), relativeError(all, mean)]
  const model = coxReach(cases, level)
  return hull([
    linearisedBounds(logMean, se, cases.length, level),
    bootstrapT(all, logMean, se, level, seed),
    model && { low: logMean - model.low, high: logMean + model.high },
  ])
}

const meanTrialCost = (cases: readonly CaseCost[]): number =>
  fsum(cases.map(({ cost }) => cost)) / fsum(cases.map(({ n }) => n))

/**
 * Returns the largest value of ln R that the upper bound of the mean cost of a trial and the lower
 * bound of the pass rate allow together.
 */
function mostByParts(
  cases: readonly CaseCost[],
  logRatio: number,
  level: number,
  seed: number,
): number {
  const half = (1 + level) / 2
  const rate = rateReach(cases, half)
  if (rate === null) return Infinity
  const cost = trialCostBounds(cases, half, seed).high - Math.log(meanTrialCost(cases))
  return logRatio + cost + rate.low
}

/**
 * Returns the bounds of ln R and its standard error. The bounds are those of the smallest interval
 * that contains all intervals that can be computed for these cases. They are then limited by the
 * mean cost of a trial and by the pass rate (see the top of this file).
 */
export function logRatioBounds(
  cases: readonly CaseCost[],
  ratio: number,
  level: number,
  seed: number,
): Bounds & { readonly se: number } {
  const se = relativeError(cases, ratio)
  const logRatio = Math.log(ratio)
  const linearised = linearisedBounds(logRatio, se, cases.length, level)
  const model = modelBounds(cases, logRatio, level)
  const others = hull([linearised, model])
  const resampledBounds = bootstrapT(cases, logRatio, se, level, seed)
  let { low, high } = hull([others, resampledBounds])
  // Only the bootstrap-t is limited from above, so the limit is computed only if the bootstrap-t
  // reaches above the other intervals.
  if (high > others.high)
    high = Math.max(others.high, Math.min(high, mostByParts(cases, logRatio, level, seed)))
  // The lower bound of the mean cost is at most the mean cost. So it can raise `low` only if `low`
  // is below the mean cost.
  if (low < Math.log(meanTrialCost(cases)))
    low = Math.max(low, trialCostBounds(cases, level, seed).low)
  return { low, high, se }
}
