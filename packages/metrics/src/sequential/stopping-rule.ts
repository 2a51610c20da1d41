/**
 * The rule that decides when a run ends. A pass rate cannot be estimated without knowing this rule:
 * 3 passes in 9 trials are a rate of 1/3 if nine trials were planned, and 1/4 if the third pass
 * ended the run. A run records its rule before it starts.
 */
import { checkCounts, checkInteger } from '../domain.ts'
import { inverseSamplingRate } from './inverse-sampling-rate.ts'

export type StoppingRule =
  /** The run ends after a number of trials that was set beforehand. */
  | { readonly kind: 'fixed'; readonly trials: number }
  /**
   * The run ends after a given number of passes, or when the planned trials or the budget are used
   * up.
   */
  | { readonly kind: 'passes'; readonly passes: number }
  /**
   * The run may end at one of several looks at a comparison, which were planned beforehand
   * (obrien-fleming.ts).
   */
  | { readonly kind: 'obrienFleming'; readonly looks: number; readonly alpha: number }
  /**
   * The run has no planned end. It continues until a confidence sequence or an e-value is
   * conclusive.
   */
  | { readonly kind: 'anytime'; readonly alpha: number }

export interface StoppedRate {
  readonly value: number
  /**
   * Whether the estimate is unbiased. It is not if the results decided when to stop and no simple
   * formula removes the bias.
   */
  readonly unbiased: boolean
}

/**
 * Returns the pass rate of a case after n trials with c passes under its stopping rule, and whether
 * this estimate is unbiased.
 *
 * @example stoppedRate({ kind: 'passes', passes: 3 }, 9, 3) // { value: 0.25, unbiased: true }
 */
export function stoppedRate(rule: StoppingRule, n: number, c: number): StoppedRate {
  checkCounts(n, c)
  if (rule.kind === 'fixed') checkInteger('n', n, 1, rule.trials)
  if (rule.kind === 'passes') {
    checkInteger('c', c, 0, rule.passes)
    if (c === rule.passes) return { value: inverseSamplingRate(n, c), unbiased: true }
    // The planned trials or the budget ended the run before the number of passes was reached. No
    // order of these passes would have ended it earlier, so c/n is unbiased (Girshick et al. 1946).
  }
  return { value: c / n, unbiased: rule.kind === 'fixed' || rule.kind === 'passes' }
}
