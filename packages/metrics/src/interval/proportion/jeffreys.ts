/**
 * Jeffreys' interval for a pass rate, after c passes in n trials. It is the equal-tailed interval
 * of the posterior Beta(c + 1/2, n − c + 1/2), which follows from Jeffreys' prior. It is about as
 * short as Wilson's interval and more accurate near 0 and 1. At c = 0 the lower end is set to 0,
 * and at c = n the upper end is set to 1. Otherwise the interval would never contain a true rate of
 * 0 or 1.
 *
 * Source: Brown, Cai and DasGupta 2001.
 */
import { checkCounts, checkLevel } from '../../domain.ts'
import { type Bounds, DEFAULT_LEVEL } from '../../metric.ts'
import { inverseIncompleteBeta } from '../../special/incomplete-beta.ts'

const lowEnd = (passes: number, failures: number, tail: number): number =>
  passes === 0 ? 0 : inverseIncompleteBeta(tail, passes + 0.5, failures + 0.5)

/**
 * Returns Jeffreys' interval for the pass rate of one case with c passes in n trials.
 *
 * @example jeffreys(10, 0) // { low: 0, high: 0.2171962675092104 }
 */
export function jeffreys(n: number, c: number, level: number = DEFAULT_LEVEL): Bounds {
  checkCounts(n, c)
  checkLevel(level)
  const tail = (1 - level) / 2
  return { low: lowEnd(c, n - c, tail), high: 1 - lowEnd(n - c, c, tail) }
}
