/** Computes the figures of a single trial from its record, for formats that show single trials. */
import { compositeScore, costOfPass } from '@assay/metrics'
import type { Trial } from '@assay/contract'
import { durationMsOf } from '../../../log/index.ts'
import type { Report } from '../../schema/report.ts'
import { DEFAULT_SCORING, type TierScoring } from '../composite.ts'

export interface TrialFigures {
  /** Null if the trial was not scored or has no implementation rate. */
  readonly composite: number | null
  /** Infinity if the trial failed. Null if it was not scored or its cost is unknown. */
  readonly costOfPass: number | null
  /** The trial's end minus its start. Null if unknown. */
  readonly durationMs: number | null
}

export function trialFigures(trial: Trial, { impl, weights }: TierScoring): TrialFigures {
  const ms = durationMsOf(trial.time)
  const durationMs = Number.isNaN(ms) ? null : ms
  if (trial.outcome !== 'passed' && trial.outcome !== 'failed')
    return { composite: null, costOfPass: null, durationMs }
  const passed = trial.outcome === 'passed' ? 1 : 0
  const rate = known(impl === 'score' ? trial.score : trial.implRate, 1)
  const usd = known(trial.cost.answerUsd)
  return {
    composite: rate === null ? null : compositeScore(passed, rate, weights),
    costOfPass: usd === null ? null : costOfPass(usd, passed),
    durationMs,
  }
}

/**
 * Returns the number if it can be used, otherwise null. In results of other programs, a number may be unknown (NaN). In
 * a log of version 1, which has no checksums, a field may be missing or out of range.
 */
const known = (value: number | null | undefined, most = Infinity): number | null =>
  typeof value === 'number' && value >= 0 && value <= most ? value : null

/** Returns how a report's composites are computed. */
export const scoringIn = ({
  provenance: { scoring },
}: Pick<Report, 'provenance'>): TierScoring => ({
  ...DEFAULT_SCORING,
  impl: scoring.impl ?? 'judge',
  weights: scoring.compositeWeights as TierScoring['weights'],
})
