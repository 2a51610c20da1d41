/**
 * Combines a trial's verdict and its implementation rate into a composite, and converts a composite to a letter grade.
 * The implementation rate is the judges' weighted score or, with `impl = "score"`, the trial's own score. An experiment
 * can set the weights, the scale of letter grades, and which of the two rates is used. A composite is an additional
 * metric. It never replaces a trial's score.
 */
import { compositeScore, Sum, TIER_PROFILE, type TierProfile } from '@assay/metrics'
import type { Cell, Tally } from '../../log/index.ts'
import { eachScored, type ColumnSums } from './cell-figures.ts'

export interface TierScoring extends TierProfile {
  readonly impl: 'judge' | 'score'
  /**
   * Returns true if the trial's implementation rate was ignored because it is impossible (above 1, such as 1.028).
   * Composites leave out only such trials. A trial without any rate is different: its subject gets no composite.
   */
  readonly isSetAside?: (ordinal: number) => boolean
}

export const DEFAULT_SCORING: TierScoring = { ...TIER_PROFILE, impl: 'judge' }

/** Returns a trial's implementation rate, or null if it has none. */
export function implRateAt(tally: Tally, ordinal: number, { impl }: TierScoring): number | null {
  const value = (impl === 'score' ? tally.score : tally.implRate).at(ordinal)
  return Number.isNaN(value) ? null : value
}

/** Returns a trial's composite, or null if the trial has no implementation rate. */
export function compositeAt(tally: Tally, ordinal: number, scoring: TierScoring): number | null {
  const rate = implRateAt(tally, ordinal, scoring)
  const passed = tally.outcomeAt(ordinal) === 'passed' ? 1 : 0
  return rate === null ? null : compositeScore(passed, rate, scoring.weights)
}

/**
 * Returns the sums of the composites over the scored trials of one subject on one case (a cell). Trials without a
 * composite are left out.
 */
export function compositeSums(tally: Tally, cell: Cell, scoring: TierScoring): ColumnSums {
  const sum = new Sum()
  const sumSq = new Sum()
  let n = 0
  eachScored(tally, cell, (i) => {
    const one = compositeAt(tally, i, scoring)
    if (one === null) return
    n++
    sum.add(one)
    sumSq.add(one * one)
  })
  return { n, sum: sum.value, sumSq: sumSq.value }
}
