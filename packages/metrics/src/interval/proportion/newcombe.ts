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
import { wilson } from './wilson.ts'

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
  const ofA = wilson(a.n, a.c, level)
  const ofB = wilson(b.n, b.c, level)
  const rateA = a.c / a.n
  const rateB = b.c / b.n
  const difference = rateB - rateA
  return {
    low: difference - Math.hypot(rateB - ofB.low, ofA.high - rateA),
    high: difference + Math.hypot(ofB.high - rateB, rateA - ofA.low),
  }
}
