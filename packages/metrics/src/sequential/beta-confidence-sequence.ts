/**
 * A confidence interval that may be watched: the pass rates that the mixture likelihood ratio has not yet
 * rejected. All intervals of a run hold the true rate at once with probability `level`, so looking after every
 * trial and stopping at will is allowed. The price is a width of 1.4 to 1.8 times Wilson's; Wilson's watched
 * to 500 trials misses the truth in 37 to 44 % of runs.
 *
 * Source: Robbins 1970; Howard et al. 2021, with the beta mixture.
 */
import { checkBetween } from '../domain.ts'
import { type Bounds, DEFAULT_LEVEL } from '../metric.ts'
import {
  type BetaPrior,
  checkSequence,
  deviance,
  JEFFREYS_PRIOR,
  logMixtureAgainstBest,
} from './mixture-likelihood.ts'

/**
 * The rate below c/n whose deviance is `most`. Newton's method in ln p: the deviance is convex in it and the
 * start lies below the root, so the steps go up to it and never beyond.
 */
function lowerRate(n: number, c: number, most: number): number {
  if (c === 0) return 0
  if (c === n) return Math.exp(-most / n)
  const f = n - c
  // The deviance without the failures' ln(1 − p), which only adds to it.
  let log = Math.log(c / n) - (most - f * Math.log(f / n)) / c
  for (let step = 0; step < 200; step++) {
    const p = Math.exp(log)
    const next = log + ((deviance(n, c, p) - most) * (1 - p)) / (c - n * p)
    if (!(next > log)) break
    log = next
  }
  return Math.exp(log)
}

/**
 * The interval after n trials of a case with c passes, valid at all n together. `prior` is where the rate is
 * looked for most sharply; it must be chosen before the first trial and never changes the guarantee.
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
  checkBetween('level', level, 0, 1)
  if (n === 0) return { low: 0, high: 1 }
  const most = -Math.log1p(-level) - logMixtureAgainstBest(n, c, prior)
  return { low: lowerRate(n, c, most), high: 1 - lowerRate(n, n - c, most) }
}
