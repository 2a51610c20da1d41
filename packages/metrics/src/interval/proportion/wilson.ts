/**
 * Wilson's score interval for a proportion. It contains the rates p for which the observed rate is
 * within z standard errors of p, where the standard error is computed at p and not at the observed
 * rate. The interval is always within [0, 1], and its width is not 0 even if no trial or every
 * trial passed. The number of trials n and the quantile z may be any positive numbers, so an
 * effective number of trials or a t quantile can be used.
 *
 * Source: Wilson 1927; Brown, Cai and DasGupta 2001.
 */
import { checkBetween, checkCounts, checkLevel, checkNumber } from '../../domain.ts'
import { type Bounds, DEFAULT_LEVEL } from '../../metric.ts'
import { normalQuantile } from '../../special/normal.ts'

/**
 * Returns the lower end of the interval. Both ends are the roots of a quadratic equation. The lower
 * root is computed as the product of both roots divided by the upper root, because the usual
 * formula would subtract nearly equal terms and lose digits.
 */
function lowerRoot(rate: number, n: number, quantile: number): number {
  const shift = (quantile * quantile) / n
  const upper = rate + shift / 2 + quantile * Math.sqrt((rate * (1 - rate)) / n + shift / (4 * n))
  return (rate * rate) / upper
}

/**
 * Returns Wilson's interval for an observed rate in n trials. `quantile` is the number of standard
 * errors, usually the normal quantile z. n need not be an integer.
 *
 * @example wilsonBounds(0.8, 10, 1.959963984540054).low // 0.49016247153664183
 */
export function wilsonBounds(rate: number, n: number, quantile: number): Bounds {
  checkNumber('rate', rate, 0, 1)
  checkBetween('n', n, 0, Infinity)
  checkBetween('quantile', quantile, 0, Infinity)
  return { low: lowerRoot(rate, n, quantile), high: 1 - lowerRoot(1 - rate, n, quantile) }
}

/**
 * Returns Wilson's interval for the pass rate of one case with c passes in n trials.
 *
 * @example wilson(10, 8).high // 0.9433178485456247
 */
export function wilson(n: number, c: number, level: number = DEFAULT_LEVEL): Bounds {
  checkCounts(n, c)
  checkLevel(level)
  return wilsonBounds(c / n, n, -normalQuantile((1 - level) / 2))
}
