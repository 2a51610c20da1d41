/**
 * The beta-binomial model of a suite: the pass rate of each case is a random draw from Beta(a, b),
 * and the passes of the case are binomial. Under this model pass@k and pass^k have closed formulas
 * for every k, also above the number of trials. They are computed from ratios Γ(x)/Γ(x + a) of
 * gamma functions, because subtracting logarithms of beta functions of large arguments would lose
 * digits.
 *
 * The model is an assumption about the distribution of difficulty. pass@k depends on it most where
 * there are no data, that is, for k above the number of trials. Kazdan et al. 2025 extrapolate this
 * way.
 */
import { checkBetween, checkCounts, checkInteger } from '../domain.ts'
import { Sum } from '../fsum.ts'
import { logChoose, logGammaRatio } from '../special/log-gamma.ts'

function check(a: number, b: number): void {
  checkBetween('a', a, 0, Infinity)
  checkBetween('b', b, 0, Infinity)
}

/**
 * Up to this k, `logMoment` computes a product factor by factor. For a larger k, gamma functions
 * are faster.
 */
const FEW = 256

/**
 * Returns ln E[q^k], the logarithm of the mean of q^k, where q has the distribution Beta(b, a).
 * E[q^k] is the product of (b + i)/(a + b + i) over i from 0 to k − 1, which equals Γ(b + k)/Γ(a +
 * b + k) divided by Γ(b)/Γ(a + b).
 */
function logMoment(b: number, a: number, k: number): number {
  if (k > FEW) return logGammaRatio(b + k, a) - logGammaRatio(b, a)
  const log = new Sum()
  for (let i = 0; i < k; i++) {
    const kept = b + i
    // For a factor near 1, log1p of its distance from 1 is more accurate.
    log.add(kept > a ? Math.log1p(-a / (a + kept)) : Math.log(kept / (a + kept)))
  }
  return log.value
}

/**
 * Returns the logarithm of the probability of c passes in n trials of a case whose pass rate is
 * drawn from Beta(a, b).
 *
 * @example Math.exp(betaBinomialLogPmf(2, 1, 1, 1)) // 0.3333333333333337: under Beta(1, 1) every count is as likely
 */
export function betaBinomialLogPmf(n: number, c: number, a: number, b: number): number {
  checkCounts(n, c)
  check(a, b)
  return logChoose(n, c) - logGammaRatio(a, c) - logGammaRatio(b, n - c) + logGammaRatio(a + b, n)
}

/**
 * Returns the probability that at least one of k trials of a new case passes, if pass rates have
 * the distribution Beta(a, b). It is 1 − B(a, b + k)/B(a, b), where B is the beta function. k may
 * be larger than the number of trials of any case.
 *
 * @example betaPassAtK(1, 1, 3) // 0.75
 */
export function betaPassAtK(a: number, b: number, k: number): number {
  check(a, b)
  checkInteger('k', k, 0)
  return k === 0 ? 0 : -Math.expm1(logMoment(b, a, k))
}

/**
 * Returns the probability that all k trials of a new case pass, if pass rates have the distribution
 * Beta(a, b). It is B(a + k, b)/B(a, b), where B is the beta function.
 *
 * @example betaPassHatK(1, 1, 3) // 0.25
 */
export function betaPassHatK(a: number, b: number, k: number): number {
  check(a, b)
  checkInteger('k', k, 0)
  return Math.exp(logMoment(a, b, k))
}
