/**
 * The difference of two independent proportions: the distances of each rate from its Wilson bounds,
 * combined as the sides of a right angle. Unlike the textbook z interval it stays within [−1, 1] and has
 * a width when both rates are 0 or 1. For two subjects on the same cases compare by case instead.
 *
 * Source: Newcombe 1998, method 10.
 */
import { checkBetween, checkInteger } from '../../domain.ts'
import { type Bounds, DEFAULT_LEVEL } from '../../metric.ts'
import { wilson } from './wilson.ts'

/**
 * Newcombe's interval for the pass rate of B minus that of A: positive where B is better.
 *
 * @example newcombeDifference(48, 80, 56, 70).low // 0.05243147240236498
 */
export function newcombeDifference(
  cA: number,
  nA: number,
  cB: number,
  nB: number,
  level: number = DEFAULT_LEVEL,
): Bounds {
  checkInteger('nA', nA, 1)
  checkInteger('cA', cA, 0, nA)
  checkInteger('nB', nB, 1)
  checkInteger('cB', cB, 0, nB)
  checkBetween('level', level, 0, 1)
  const a = wilson(cA, nA, level)
  const b = wilson(cB, nB, level)
  const rateA = cA / nA
  const rateB = cB / nB
  const difference = rateB - rateA
  return {
    low: difference - Math.hypot(rateB - b.low, a.high - rateA),
    high: difference + Math.hypot(b.high - rateB, rateA - a.low),
  }
}
