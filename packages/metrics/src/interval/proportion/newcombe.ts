/**
 * An interval for the difference of two independent proportions. The distances of each rate from its
 * Wilson bounds are squared and added, and the root is the distance of the difference from its bound.
 * Unlike the textbook z interval, it stays within [−1, 1] and has a width if both rates are 0 or 1.
 * For two subjects on the same cases, use pairedDifference instead.
 *
 * Source: Newcombe 1998, method 10.
 */
import { checkInteger, checkLevel } from '../../domain.ts'
import { type Bounds, type CaseCounts, DEFAULT_LEVEL } from '../../metric.ts'
import { normalQuantile } from '../../special/normal.ts'
import { wilsonBounds } from './wilson.ts'

/**
 * Newcombe's interval for the pass rate of B minus that of A. Positive values mean that B is better.
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

/** An observed rate, and how many independent observations it is worth. */
interface ObservedRate {
  readonly rate: number
  readonly n: number
}

/** Newcombe's interval for the rate of B minus that of A, with the quantile z. n need not be an integer. */
export function joinRates(a: ObservedRate, b: ObservedRate, z: number): Bounds {
  const ofA = wilsonBounds(a.rate, a.n, z)
  const ofB = wilsonBounds(b.rate, b.n, z)
  const difference = b.rate - a.rate
  return {
    low: difference - Math.hypot(b.rate - ofB.low, ofA.high - a.rate),
    high: difference + Math.hypot(ofB.high - b.rate, a.rate - ofA.low),
  }
}
