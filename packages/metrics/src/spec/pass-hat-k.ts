/**
 * pass^k, the chance that all k trials pass. The documented p^k uses the observed rate as if it were
 * the true one and is biased upwards (Jensen): at p = 0.5 and n = k = 5 it reads 0.110 on average where
 * the truth is 0.031. The unbiased twin counts the k-subsets without a failure.
 *
 * Source of the twin: Yao et al. 2024, tau-bench.
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
 * C(c, k)/C(n, k): the chance that all k trials pass, estimated without bias from n trials of which c
 * passed. At k = n it is 1 or 0, so show it as a mean over a suite, or at k well below n.
 *
 * @example passHatKUnbiased(8, 6, 4) // 0.21428571428571427 = 3/14
 */
export function passHatKUnbiased(n: number, c: number, k: number): number {
  checkCounts(n, c)
  checkInteger('k', k, 0, n)
  return zeroHyper(n, n - c, k)
}
