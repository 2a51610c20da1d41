/**
 * Wilson's score interval for a proportion: the rates from which the observed one is within z standard
 * errors, each taken at the rate itself and not at the estimate. It never leaves [0, 1] and keeps a
 * width at 0 and n passes. n and the quantile may be any positive numbers, which is what an effective
 * number of trials and a t quantile need.
 *
 * Source: Wilson 1927; Brown, Cai and DasGupta 2001.
 */
import { checkBetween, checkCounts, checkNumber } from '../../domain.ts'
import { type Bounds, DEFAULT_LEVEL } from '../../metric.ts'
import { normalQuantile } from '../../special/normal.ts'

/** The lower root, as the product of the roots over the upper one: no difference of nearly equal terms. */
function lowerRoot(rate: number, n: number, quantile: number): number {
  const shift = (quantile * quantile) / n
  const upper = rate + shift / 2 + quantile * Math.sqrt((rate * (1 - rate)) / n + shift / (4 * n))
  return (rate * rate) / upper
}

/**
 * Wilson's interval for a rate seen in n trials, both real numbers, with any quantile in place of z.
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
 * Wilson's interval for the pass rate of one case, c of n trials passed.
 *
 * @example wilson(10, 8).high // 0.9433178485456247
 */
export function wilson(n: number, c: number, level: number = DEFAULT_LEVEL): Bounds {
  checkCounts(n, c)
  checkBetween('level', level, 0, 1)
  return wilsonBounds(c / n, n, -normalQuantile((1 - level) / 2))
}
