/**
 * The difference of two independent proportions: the distances of each rate from its Wilson bounds,
 * combined as the sides of a right angle. Unlike the textbook z interval it stays within [−1, 1] and has
 * a width when both rates are 0 or 1. For two subjects on the same cases compare by case instead.
 *
 * Source: Newcombe 1998, method 10.
 */
import { checkBetween, checkInteger } from '../../domain.ts'
import { type Bounds, type CaseCounts, DEFAULT_LEVEL } from '../../metric.ts'
import { wilson } from './wilson.ts'

/**
 * Newcombe's interval for the pass rate of B minus that of A: positive where B is better.
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
  checkBetween('level', level, 0, 1)
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
