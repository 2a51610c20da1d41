/**
 * Computes how many passes in a row, without a failure, prove that the pass rate is above p. If the true pass rate
 * were p or less, n passes in a row would have a probability of at most p^n. If this is at most 1 − confidence, the
 * pass rate is proven with that confidence.
 *
 * Source: the success-run theorem; see Hanley and Lippman-Hand 1983 for its "rule of three".
 */
import { checkBetween } from '../domain.ts'
import { DEFAULT_LEVEL } from '../metric.ts'
import { ceilCount } from './required-cases.ts'

/**
 * Returns the number of trials that must all pass to claim a pass rate of at least p with this
 * confidence. It is ln(1 − confidence)/ln p, rounded up.
 *
 * @example zeroFailureTrials(0.9, 0.95) // 29
 */
export function zeroFailureTrials(p: number, confidence: number = DEFAULT_LEVEL): number {
  checkBetween('p', p, 0, 1)
  checkBetween('confidence', confidence, 0, 1)
  return Math.max(1, ceilCount(Math.log1p(-confidence) / Math.log(p)))
}
