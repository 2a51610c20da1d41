/**
 * The regression rule of the document code-scoring: did a score change by strictly more than a
 * threshold?
 */
import { checkNumber } from '../../domain.ts'
import { moreThan } from '../tolerance.ts'

export type Change = 'regression' | 'improvement' | 'unchanged'

/**
 * Compares two scores by their absolute difference. A difference of exactly the threshold counts as
 * unchanged, even if floating-point rounding makes it slightly larger. With few trials this rule
 * gives many false alarms: with five trials, the result of one trial changes a score by up to 0.2.
 * `gateVerdict` takes this uncertainty into account.
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
