/**
 * A confidence interval that may be checked after every trial of a run. It contains the pass rates
 * that the mixture likelihood ratio (mixture-likelihood.ts) has not rejected yet. With probability
 * `level`, all intervals of a run contain the true rate, so a run may stop at any time. The
 * interval is 1.4 to 1.8 times as wide as Wilson's interval. But Wilson's interval, if checked
 * after every trial up to 500, excludes the true rate at least once in 37 to 44 % of runs.
 *
 * Source: Robbins 1970; Howard et al. 2021, with the beta mixture.
 */
import { checkLevel } from '../domain.ts'
import { type Bounds, DEFAULT_LEVEL } from '../metric.ts'
import {
  type BetaPrior,
  checkSequence,
  deviance,
  excessPasses,
  JEFFREYS_PRIOR,
  logMixtureAgainstBest,
  logOf,
} from './mixture-likelihood.ts'

/**
 * Returns ln p for the rate p below c/n whose deviance is `most`, for c > 0. The deviance measures
 * how much worse p fits the data than c/n. Newton's method finds the root as a function of ln p.
 * The deviance is a convex function of ln p and the start is below the root, so the steps approach
 * the root from below and never pass it. The result is ln p instead of p, because near p = 1 it
 * also keeps the digits of 1 − p.
 */
function lowerLogRate(n: number, c: number, most: number): number {
  const f = n - c
  if (f === 0) return -most / n
  // The start is the root of the deviance without its term −f · ln(1 − p). That term is never
  // negative, so the start is below the true root. The factor 1 + 1e-12 makes sure of this despite
  // rounding.
  const atMost = most - f * logOf(f / n, c / n)
  let log = (logOf(c / n, f / n) - atMost / c) * (1 + 1e-12)
  for (;;) {
    const p = Math.exp(log)
    const q = -Math.expm1(log)
    if (p === 0) return log // The root is too small for a double.
    const next = log - ((deviance(n, c, p, q) - most) * q) / excessPasses(n, c, p, q)
    // At the root, rounding makes the next step zero or negative.
    if (!(next > log)) return log
    log = next
  }
}

/**
 * Returns the interval after n trials of a case with c passes. The confidence holds for the
 * intervals at all n together. The interval is narrowest for rates that are likely under `prior`.
 * The prior must be chosen before the first trial; the confidence holds for any prior.
 *
 * @example betaConfidenceSequence(0, 0) // { low: 0, high: 1 }
 */
export function betaConfidenceSequence(
  n: number,
  c: number,
  level: number = DEFAULT_LEVEL,
  prior: BetaPrior = JEFFREYS_PRIOR,
): Bounds {
  checkSequence(n, c, prior)
  checkLevel(level)
  if (n === 0) return { low: 0, high: 1 }
  // `most` is the largest deviance of a rate in the interval. In exact arithmetic it is not
  // negative, because a mixture of rates never fits better than the best rate. Rounding can make it
  // negative if the level is close to 0.
  const most = Math.max(0, -Math.log1p(-level) - logMixtureAgainstBest(n, c, prior))
  return {
    low: c === 0 ? 0 : Math.exp(lowerLogRate(n, c, most)),
    high: c === n ? 1 : -Math.expm1(lowerLogRate(n, n - c, most)),
  }
}
