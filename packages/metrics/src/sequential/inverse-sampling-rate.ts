/**
 * The pass rate when trials went on until a number of passes. c/n is then biased upwards, since the
 * run ends on a pass: after "stop at the first pass" it reads .40, .69 and .89 on average where the
 * truth is .2, .5 and .8. Leaving out the pass that ended the run removes the bias exactly.
 *
 * Source: Haldane 1945 (Biometrika 33).
 */
import { checkInteger } from '../domain.ts'

/**
 * (c − 1)/(n − 1): the unbiased pass rate when the c-th pass came in trial n and ended the run. With c = 1
 * that is all or nothing, 1 if the first trial passed and else 0: unbiased, but to be averaged over many
 * cases, not shown for one.
 *
 * @example inverseSamplingRate(9, 3) // 0.25
 */
export function inverseSamplingRate(n: number, c: number): number {
  checkInteger('c', c, 1)
  checkInteger('n', n, c)
  // Where every trial passed, also c = n = 1, whose 0/0 must be 1 for the mean over n to be p.
  return c === n ? 1 : (c - 1) / (n - 1)
}
