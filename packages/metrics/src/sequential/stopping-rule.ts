/**
 * Why a run ended where it did. A rate cannot be read without it: the same 3 passes in 9 trials are
 * a rate of 1/3 if nine were planned and 1/4 if the third pass ended the run. A run records its
 * rule before it starts.
 */
import { checkCounts, checkInteger } from '../domain.ts'
import { inverseSamplingRate } from './inverse-sampling-rate.ts'

export type StoppingRule =
  /** A number of trials set beforehand. */
  | { readonly kind: 'fixed'; readonly trials: number }
  /** Until so many passes, or until trials or money set beforehand are used up. */
  | { readonly kind: 'passes'; readonly passes: number }
  /** O'Brien-Fleming looks at a comparison, planned beforehand. */
  | { readonly kind: 'obrienFleming'; readonly looks: number; readonly alpha: number }
  /** Open-ended: until a confidence sequence or an e-value has settled the question. */
  | { readonly kind: 'anytime'; readonly alpha: number }

export interface StoppedRate {
  readonly value: number
  /** False where the outcome decided when to stop and no simple correction is exact. */
  readonly unbiased: boolean
}

/**
 * The pass rate of a case after n trials with c passes under its stopping rule, and whether it is
 * free of bias.
 *
 * @example stoppedRate({ kind: 'passes', passes: 3 }, 9, 3) // { value: 0.25, unbiased: true }
 */
export function stoppedRate(rule: StoppingRule, n: number, c: number): StoppedRate {
  checkCounts(n, c)
  if (rule.kind === 'fixed') checkInteger('n', n, 1, rule.trials)
  if (rule.kind === 'passes') {
    checkInteger('c', c, 0, rule.passes)
    if (c === rule.passes) return { value: inverseSamplingRate(n, c), unbiased: true }
    // Ended by the budget. Every order of these passes leads here, so c/n is right (Girshick et al.
    // 1946).
  }
  return { value: c / n, unbiased: rule.kind === 'fixed' || rule.kind === 'passes' }
}
