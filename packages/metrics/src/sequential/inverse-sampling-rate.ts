/**
 * The pass rate of a run that continued until a given number of passes. For such a run with c
 * passes in n trials, c/n is too high on average, because the last trial is always a pass. For
 * example, with the rule "stop at the first pass", c/n is .40, .69 and .89 on average if the true
 * rate is .2, .5 and .8. Leaving out the last trial removes the bias exactly.
 *
 * Source: Haldane 1945 (Biometrika 33).
 */
import { checkInteger } from '../domain.ts'

/**
 * Returns the unbiased pass rate (c − 1)/(n − 1) if the c-th pass came in trial n and ended the
 * run. With c = 1, the result is 1 if the first trial passed, otherwise 0. So it is very noisy:
 * average it over many cases, and do not show it for a single case.
 *
 * @example inverseSamplingRate(9, 3) // 0.25
 */
export function inverseSamplingRate(n: number, c: number): number {
  checkInteger('c', c, 1)
  checkInteger('n', n, c)
  // The rate is 1 if every trial passed. This includes c = n = 1, where the formula is 0/0. Any other
  // value than 1 would make the estimate biased.
  return c === n ? 1 : (c - 1) / (n - 1)
}
