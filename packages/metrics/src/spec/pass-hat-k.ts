/**
 * pass^k, the chance that all k trials pass. The formula p^k of the document scoring-functions uses
 * the observed rate as if it were the true one, so it is too high on average (Jensen's inequality).
 * For a true rate of 0.5 and n = k = 5 it is 0.110 on average; the true value is 0.031. The
 * unbiased estimate is the share of the subsets of k trials that contain no failure.
 *
 * Source of the unbiased estimate: Yao et al. 2024, tau-bench.
 */
import { checkCounts, checkInteger, checkNumber } from '../domain.ts'
import { zeroHyper } from './pass-at-k.ts'

/**
 * Returns p^k, the probability that all k trials pass if each passes with probability p.
 *
 * @example passToTheK(0.5, 3) // 0.125
 */
export function passToTheK(perTrialPassRate: number, k: number): number {
  checkNumber('perTrialPassRate', perTrialPassRate, 0, 1)
  checkInteger('k', k, 0)
  return perTrialPassRate ** k
}

/**
 * Returns the unbiased estimate of the probability that all k trials pass, from n trials of which c
 * passed. It is C(c, k)/C(n, k), where C is the binomial coefficient. At k = n the result is 1 or
 * 0, so show it as a mean over a suite, or at k well below n.
 *
 * @example passHatKUnbiased(8, 6, 4) // 0.21428571428571427 = 3/14
 */
export function passHatKUnbiased(n: number, c: number, k: number): number {
  checkCounts(n, c)
  checkInteger('k', k, 0, n)
  return zeroHyper(n, n - c, k)
}
