/**
 * What a pass costs: total cost over total passes, which equals mean cost per trial over pass rate,
 * the expected bill when failures are retried until one passes. Unlike the mean of per-run costs of
 * pass it does not become infinite with the first failure.
 *
 * A ratio of two sums over cases varies as the mean of the residuals cost − R · passes does
 * (first-order linearisation). The interval is taken on ln R, which keeps it positive and fits the
 * skew of a ratio.
 *
 * Without any pass the ratio is infinite, but not all is unknown: with no pass in m cases the pass
 * rate is at most 1 − alpha^(1/m) at confidence 1 − alpha, and a pass costs at least the mean cost
 * over that. m counts cases, not trials: a case type that never passes fails all its trials at
 * once, so trials of one case are not evidence about cases like these beyond the first.
 *
 * Source: Erol et al. 2025, Cost-of-Pass; Cochran 1977, Sampling Techniques, 6.4 (ratio estimates).
 */
import { checkBetween, checkCounts, checkLength, checkNumber } from '../domain.ts'
import { fsum } from '../fsum.ts'
import { type CaseCounts, DEFAULT_LEVEL, type Metric } from '../metric.ts'
import { sampleDeviation } from '../spec/describe.ts'
import { tQuantile } from '../special/student-t.ts'

/** One case: n trials, c of them passed, and what all n cost together. */
export interface CaseCost extends CaseCounts {
  readonly cost: number
}

export function checkCaseCosts(name: string, cases: readonly CaseCost[]): void {
  checkLength(name, cases)
  for (const { n, c, cost } of cases) {
    checkCounts(n, c)
    checkNumber('cost', cost, 0)
  }
}

/** Residuals this small beside the costs are rounding, not spread. */
const ROUNDING = 1e-12

/**
 * Cost per pass over cases like these, Σ cost/Σ passes, with its interval on the log scale.
 * `infinite` when nothing passed: the interval is then one-sided, from the least cost still likely
 * up to Infinity. No interval, and the reason, where there is one case, no cost, or no spread to go
 * by.
 *
 * @example costOfPassRatio([{ n: 5, c: 4, cost: 2 }, { n: 5, c: 1, cost: 3 }]).value // 1
 */
export function costOfPassRatio(cases: readonly CaseCost[], level: number = DEFAULT_LEVEL): Metric {
  checkCaseCosts('cases', cases)
  checkBetween('level', level, 0, 1)
  const n = cases.length
  const cost = fsum(cases.map((x) => x.cost))
  const passes = fsum(cases.map((x) => x.c))
  const target = 'population'

  if (passes === 0) {
    const meanCost = cost / fsum(cases.map((x) => x.n))
    // 1 − alpha^(1/m) without the cancellation that many cases bring.
    const mostPassRate = -Math.expm1(Math.log1p(-level) / n)
    const low = meanCost / mostPassRate
    const method = 'zero-pass bound over cases'
    return {
      value: null,
      infinite: true,
      reason: 'no trial passed',
      n,
      interval: { low, high: Infinity, level, method, target },
    }
  }

  const value = cost / passes
  if (cost === 0) return { value, n, reason: 'nothing cost anything, so costs have no spread' }
  const residuals = cases.map((x) => x.cost - value * x.c)
  const largest = cases.reduce((most, x) => Math.max(most, x.cost), 0)
  const deviation = sampleDeviation(residuals)
  if (deviation === null) return { value, n, reason: 'one case says nothing about others' }
  if (deviation <= ROUNDING * largest)
    return { value, n, reason: 'cost per pass is the same in all cases: no spread was seen' }
  // sd(residual) / (passes per case · √m), relative to R.
  const relativeError = (deviation * Math.sqrt(n)) / passes / value
  const factor = Math.exp(-tQuantile((1 - level) / 2, n - 1) * relativeError)
  const method = 'log ratio, linearised over cases, t'
  return {
    value,
    n,
    interval: { low: value / factor, high: value * factor, level, method, target },
  }
}
