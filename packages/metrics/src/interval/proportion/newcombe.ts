/**
 * An interval for the difference of two independent proportions. Each rate has a Wilson interval
 * (wilson.ts). The distances of the two rates from the ends of their intervals are squared and
 * added. The root of the sum is the distance of the difference from the end of its interval. Unlike
 * the textbook z interval, this interval stays within [−1, 1], and its width is not 0 if both rates
 * are 0 or 1. For two subjects on the same cases, use pairedDifference instead.
 *
 * Source: Newcombe 1998, method 10.
 */
import { checkInteger, checkLevel } from '../../domain.ts'
import { type Bounds, type CaseCounts, DEFAULT_LEVEL } from '../../metric.ts'
import { normalQuantile } from '../../special/normal.ts'
import { wilsonBounds } from './wilson.ts'

/**
 * Returns Newcombe's interval for the pass rate of B minus that of A. Positive values mean that B
 * is better.
 *
 * @example newcombeDifference({ n: 80, c: 48 }, { n: 70, c: 56 }).low // 0.05243147240236498
 */
export function newcombeDifference(
  a: CaseCounts,
  b: CaseCounts,
  level: number = DEFAULT_LEVEL,
): Bounds {
  for (const [name, { n, c }] of Object.entries({ a, b })) {
    checkInteger(`${name}.n`, n, 1)
    checkInteger(`${name}.c`, c, 0, n)
  }
  checkLevel(level)
  const z = -normalQuantile((1 - level) / 2)
  return joinRates({ rate: a.c / a.n, n: a.n }, { rate: b.c / b.n, n: b.n }, z)
}

/** An observed rate and its number of independent observations. */
interface ObservedRate {
  readonly rate: number
  readonly n: number
}

/**
 * Returns Newcombe's interval for the rate of B minus that of A. `z` is the normal quantile of the
 * level. The numbers of observations need not be integers.
 */
export function joinRates(a: ObservedRate, b: ObservedRate, z: number): Bounds {
  const ofA = wilsonBounds(a.rate, a.n, z)
  const ofB = wilsonBounds(b.rate, b.n, z)
  const difference = b.rate - a.rate
  return {
    low: difference - Math.hypot(b.rate - ofB.low, ofA.high - a.rate),
    high: difference + Math.hypot(ofB.high - b.rate, a.rate - ofA.low),
  }
}
