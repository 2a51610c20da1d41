/**
 * The mixture likelihood ratio: how much better do the data fit "some pass rate, spread as Beta(a,
 * b)" than "the pass rate p0"? Under p0 it is a martingale of mean 1, whatever the rule for going
 * on, so by Ville's inequality it ever exceeds 1/alpha with probability at most alpha. That makes
 * it an e-value: evidence that may be watched after every trial. Inverted over p0 it becomes a
 * confidence sequence.
 *
 * It is computed as two parts that do not cancel: the mixture against the best fitting rate c/n,
 * where Stirling's leading terms drop out on paper, and the deviance n·KL(c/n, p0) of p0 from that
 * rate.
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
 * Half a pass and half a failure: narrow where rates are near 0 or 1, as those of many cases are.
 */
export const JEFFREYS_PRIOR: BetaPrior = { a: 0.5, b: 0.5 }

const HALF_LOG_TWO_PI = 0.9189385332046728

/** n trials, c of them passed, n from 0 on: a sequence is also asked before its first trial. */
export function checkSequence(n: number, c: number, { a, b }: BetaPrior): void {
  checkInteger('n', n, 0)
  if (n === 0) checkInteger('c', c, 0, 0)
  else checkCounts(n, c)
  checkBetween('prior.a', a, 0, Infinity)
  checkBetween('prior.b', b, 0, Infinity)
}

/** x·ln(1 + a/x), 0 at x = 0. */
const growth = (x: number, a: number): number => (x === 0 ? 0 : x * Math.log1p(a / x))

/**
 * ln of the mixture likelihood over the likelihood of the best rate c/n: ln B(a + c, b + f)/B(a, b)
 * less c ln(c/n) + f ln(f/n), with f = n − c. At most 0.
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

/** ln x, given 1 − x as well: from whichever of the two holds more digits. */
export const logOf = (x: number, rest: number): number =>
  x < 0.5 ? Math.log(x) : Math.log1p(-rest)

/** n·p − c: how many more passes p expects than there were. */
export const excessPasses = (n: number, c: number, p: number, q: number): number =>
  p < 0.5 ? n * p - c : n - c - n * q

/**
 * n·KL(c/n, p): ln of how much better c/n fits than p. q is 1 − p, which near p = 1 holds digits
 * that p has lost; the first-order terms of the two parts cancel, so that rates close to c/n keep
 * theirs.
 */
export function deviance(n: number, c: number, p: number, q: number): number {
  const f = n - c
  if (c === 0) return -n * logOf(q, p)
  if (f === 0) return -n * logOf(p, q)
  const excess = excessPasses(n, c, p, q)
  return c * logDeficit(excess / c, (n * p) / c) + f * logDeficit(-excess / f, (n * q) / f)
}

/**
 * ln of the mixture likelihood ratio of c passes in n trials against the rate p0: above ln(1/alpha)
 * the data speak against p0 at level alpha, however often and whenever one looked.
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
