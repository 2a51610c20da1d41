/**
 * How a trial's verdict and its judged score become one composite, and a composite a letter: the weights,
 * the scale, and what counts as the implementation rate. That is the judges' weighted score, or, where an
 * experiment says `impl = "score"`, the trial's own score. A composite is a metric, never a trial's score.
 */
import { compositeScore, Sum, TIER_PROFILE, type TierProfile } from '@assay/metrics'
import type { Cell, Tally } from '../../log/index.ts'
import { eachScored, type ColumnSums } from './cell-figures.ts'

export interface TierScoring extends TierProfile {
  readonly impl: 'judge' | 'score'
}

export const DEFAULT_SCORING: TierScoring = { ...TIER_PROFILE, impl: 'judge' }

/** Null where nobody gave it. */
export function implRateAt(tally: Tally, ordinal: number, { impl }: TierScoring): number | null {
  const value = (impl === 'score' ? tally.score : tally.implRate).at(ordinal)
  return Number.isNaN(value) ? null : value
}

/** Null without an implementation rate. */
export function compositeAt(tally: Tally, ordinal: number, scoring: TierScoring): number | null {
  const rate = implRateAt(tally, ordinal, scoring)
  const passed = tally.outcomeAt(ordinal) === 'passed' ? 1 : 0
  return rate === null ? null : compositeScore(passed, rate, scoring.weights)
}

/** Over the scored trials of a cell; those without a composite are not in it. */
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
