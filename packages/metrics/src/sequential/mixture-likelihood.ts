/**
 * The mixture likelihood ratio: how much better do the data fit "a random pass rate with distribution Beta(a, b)" than
 * "the pass rate p0"? If p0 is the true rate, the probability that the ratio ever reaches 1/alpha is at most alpha. So
 * it is an e-value: evidence that may be checked after every trial. (The ratio starts at 1, and after each trial its
 * expected next value is its present value. Such a sequence is a martingale, for which Ville's inequality gives this
 * limit.) The values p0 that the ratio does not reject form a confidence sequence.
 *
 * The logarithm is computed as the sum of two parts, each without loss of digits. The first
 * compares the mixture with the best fitting rate c/n, in a formula in which the leading terms of
 * Stirling's series have been cancelled algebraically. The second is the deviance n·KL(c/n, p0) of
 * p0 from c/n, where KL is the Kullback-Leibler divergence of two pass rates. Here c is the number
 * of passes in n trials.
 *
 * Source: Robbins 1970 (Ann. Math. Stat. 41); Howard et al. 2021 (Ann. Stat. 49).
 */
import { checkBetween, checkCounts, checkInteger } from '../domain.ts'
import { logBeta, stirlingError } from '../special/log-gamma.ts'
import { logDeficit } from '../special/log-deficit.ts'

export interface BetaPrior {
  readonly a: number
  readonly b: number
}

/**
 * The prior Beta(1/2, 1/2), which counts like half a pass and half a failure. It gives narrow
 * intervals for rates near 0 or 1, which many cases have.
 */
export const JEFFREYS_PRIOR: BetaPrior = { a: 0.5, b: 0.5 }

const HALF_LOG_TWO_PI = 0.9189385332046728

/**
 * Checks n trials with c passes. n may be 0, because a sequence is also defined before its first
 * trial.
 */
export function checkSequence(n: number, c: number, { a, b }: BetaPrior): void {
  checkInteger('n', n, 0)
  if (n === 0) checkInteger('c', c, 0, 0)
  else checkCounts(n, c)
  checkBetween('prior.a', a, 0, Infinity)
  checkBetween('prior.b', b, 0, Infinity)
}

/** Returns x·ln(1 + a/x), which is 0 at x = 0. */
const growth = (x: number, a: number): number => (x === 0 ? 0 : x * Math.log1p(a / x))

/**
 * Returns the logarithm of the mixture likelihood divided by the likelihood of the best rate c/n.
 * This is ln(B(a + c, b + f)/B(a, b)) − c ln(c/n) − f ln(f/n), with the beta function B and f = n −
 * c failures. It is at most 0.
 */
export function logMixtureAgainstBest(n: number, c: number, { a, b }: BetaPrior): number {
  if (n === 0) return 0
  const f = n - c
  const [passes, failures, all] = [a + c, b + f, a + b + n]
  return (
    (a - 0.5) * Math.log(passes) +
    (b - 0.5) * Math.log(failures) -
    (a + b - 0.5) * Math.log(all) +
    growth(c, a) +
    growth(f, b) -
    growth(n, a + b) +
    (HALF_LOG_TWO_PI + stirlingError(passes) + stirlingError(failures) - stirlingError(all)) -
    logBeta(a, b)
  )
}

/**
 * Returns ln x. It is computed from x or from rest = 1 − x: the smaller of the two has more exact
 * digits.
 */
export const logOf = (x: number, rest: number): number =>
  x < 0.5 ? Math.log(x) : Math.log1p(-rest)

/**
 * Returns n·p − c, the number of passes expected at the rate p minus the observed number. q is 1 −
 * p.
 */
export const excessPasses = (n: number, c: number, p: number, q: number): number =>
  p < 0.5 ? n * p - c : n - c - n * q

/**
 * Returns the deviance n·KL(c/n, p): the logarithm of the likelihood of the rate c/n divided by the
 * likelihood of the rate p. q is 1 − p. Near p = 1, q has more exact digits than p. The formula
 * leaves out the first-order terms, which cancel, so it is accurate also for p close to c/n.
 */
export function deviance(n: number, c: number, p: number, q: number): number {
  const f = n - c
  if (c === 0) return -n * logOf(q, p)
  if (f === 0) return -n * logOf(p, q)
  const excess = excessPasses(n, c, p, q)
  return c * logDeficit(excess / c, (n * p) / c) + f * logDeficit(-excess / f, (n * q) / f)
}

/**
 * Returns the logarithm of the mixture likelihood ratio of c passes in n trials against the rate
 * p0. A result above ln(1/alpha) rejects p0 with error probability alpha, no matter how often and
 * when the data were checked.
 *
 * @example logMixtureLikelihoodRatio(2, 2, 0.5) // 0.40546510810816405, about ln 1.5
 */
export function logMixtureLikelihoodRatio(
  n: number,
  c: number,
  p0: number,
  prior: BetaPrior = JEFFREYS_PRIOR,
): number {
  checkSequence(n, c, prior)
  checkBetween('p0', p0, 0, 1)
  return logMixtureAgainstBest(n, c, prior) + deviance(n, c, p0, 1 - p0)
}
