/**
 * The interval between the tails of the Beta(c + 1/2, n − c + 1/2) posterior, from Jeffreys' prior. It is
 * about as short as Wilson's and sits better near 0 and 1; at c = 0 the lower and at c = n the upper end
 * is moved to the boundary, without which the true rates 0 and 1 would never be covered.
 *
 * Source: Brown, Cai and DasGupta 2001.
 */
import { checkBetween, checkCounts } from '../../domain.ts'
import { type Bounds, DEFAULT_LEVEL } from '../../metric.ts'
import { inverseIncompleteBeta } from '../../special/incomplete-beta.ts'

const lowEnd = (passes: number, failures: number, tail: number): number =>
  passes === 0 ? 0 : inverseIncompleteBeta(tail, passes + 0.5, failures + 0.5)

/**
 * Jeffreys' interval for the pass rate of one case, c of n trials passed.
 *
 * @example jeffreys(10, 0) // { low: 0, high: 0.2171962675092104 }
 */
export function jeffreys(n: number, c: number, level: number = DEFAULT_LEVEL): Bounds {
  checkCounts(n, c)
  checkBetween('level', level, 0, 1)
  const tail = (1 - level) / 2
  return { low: lowEnd(c, n - c, tail), high: 1 - lowEnd(n - c, c, tail) }
}
