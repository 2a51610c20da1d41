/** Metrics of the n trials of one case: pass rate, pass@k and pass^k at k = n, and flakiness. */
import { checkBoolean, checkCounts, checkLength } from '../domain.ts'
import { passAtK } from './pass-at-k.ts'
import { passToTheK } from './pass-hat-k.ts'

export interface MultiTrialMetrics {
  /** Fraction of trials that passed. */
  perTrialPassRate: number
  /** The probability that at least one of k trials passes. */
  passAtK: number
  /** The probability that all k trials pass. */
  passToTheK: number
  /** Number of trials run. */
  k: number
}

/**
 * Returns all multi-trial metrics of one case, where k is the number of trials. At this k, pass@k
 * is 1 if at least one trial passed. For example, 4 passes in 5 trials give exactly 1.
 *
 * @example
 * computeMultiTrialMetrics([true, false])
 * // { perTrialPassRate: 0.5, passAtK: 1, passToTheK: 0.25, k: 2 }
 */
export function computeMultiTrialMetrics(trialPassed: readonly boolean[]): MultiTrialMetrics {
  checkLength('trialPassed', trialPassed)
  for (const passed of trialPassed) checkBoolean('trialPassed', passed)
  const n = trialPassed.length
  const c = trialPassed.filter(Boolean).length
  const rate = c / n
  return {
    perTrialPassRate: rate,
    passAtK: passAtK(n, c, n),
    passToTheK: passToTheK(rate, n),
    k: n,
  }
}

/**
 * Returns true if some but not all of n trials passed. One trial can never show flakiness.
 *
 * @example isFlaky(5, 4) // true
 */
export function isFlaky(n: number, c: number): boolean {
  checkCounts(n, c)
  return c > 0 && c < n
}

/**
 * Returns the share of the rarer outcome in percent, from 0 (always the same outcome) to 50
 * (equally often).
 *
 * @example flakinessPercent(5, 4) // 20
 */
export function flakinessPercent(n: number, c: number): number {
  checkCounts(n, c)
  return (100 * Math.min(c, n - c)) / n
}
