/** Combines the pass rate and the judge's implementation rate into one score. */
import { checkNumber } from '../../domain.ts'

export interface CompositeWeights {
  readonly pass: number
  readonly impl: number
}

export const COMPOSITE_WEIGHTS: CompositeWeights = { pass: 0.5, impl: 0.5 }

/**
 * Returns the weighted mean (passRate · pass + implRate · impl) / (pass + impl), where `pass` and
 * `impl` are the weights.
 *
 * @example compositeScore(1, 0.85) // 0.925
 */
export function compositeScore(
  passRate: number,
  implRate: number,
  weights: CompositeWeights = COMPOSITE_WEIGHTS,
): number {
  checkNumber('passRate', passRate, 0, 1)
  checkNumber('implRate', implRate, 0, 1)
  checkNumber('weights.pass', weights.pass, 0)
  checkNumber('weights.impl', weights.impl, 0)
  const total = weights.pass + weights.impl
  if (total <= 0) throw new RangeError('weights must not sum to 0')
  return (passRate * weights.pass + implRate * weights.impl) / total
}
