/** The documented regression rule: did a score move by strictly more than a threshold? */
import { checkNumber } from '../../domain.ts'
import { moreThan } from '../tolerance.ts'

export type Change = 'regression' | 'improvement' | 'unchanged'

/**
 * Compares two scores in absolute points. A move of exactly the threshold is unchanged, whichever
 * floats produce it. With few trials this rule cries wolf (one of five trials moves a score by 0.2);
 * `gateVerdict` is its statistical twin.
 *
 * @example classifyChange(1, 0.95, 0.05) // 'unchanged'
 */
export function classifyChange(baseline: number, current: number, threshold: number): Change {
  checkNumber('baseline', baseline)
  checkNumber('current', current)
  checkNumber('threshold', threshold, 0)
  if (moreThan(baseline - current, threshold)) return 'regression'
  if (moreThan(current - baseline, threshold)) return 'improvement'
  return 'unchanged'
}
