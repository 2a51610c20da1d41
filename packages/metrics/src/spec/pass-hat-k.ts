/**
 * pass^k, the chance that all k trials pass. The formula p^k of scoring-functions uses the observed
 * rate as if it were the true one, so it is too high on average (Jensen's inequality). For a true
 * rate of 0.5 and n = k = 5 it is 0.110 on average; the true value is 0.031. The unbiased estimate is
 * the share of k-subsets of the trials without a failure.
 *
 * Source of the unbiased estimate: Yao et al. 2024, tau-bench.
 */
import { checkCounts, checkInteger, checkNumber } from '../domain.ts'
import { zeroHyper } from './pass-at-k.ts'

/**
 * p^k: the chance that all k trials pass if each passes with probability p.
 *
 * @example passToTheK(0.5, 3) // 0.125
 */
export function passToTheK(perTrialPassRate: number, k: number): number {
  checkNumber('perTrialPassRate', perTrialPassRate, 0, 1)
  checkInteger('k', k, 0)
  return perTrialPassRate ** k
}

/**
 * C(c, k)/C(n, k): the unbiased estimate of the chance that all k trials pass, from n trials of which
 * c passed. At k = n it is 1 or 0, so show it as a mean over a suite, or at k well below n.
 *
 * @example passHatKUnbiased(8, 6, 4) // 0.21428571428571427 = 3/14
 */
export function passHatKUnbiased(n: number, c: number, k: number): number {
  checkCounts(n, c)
  checkInteger('k', k, 0, n)
  return zeroHyper(n, n - c, k)
}
