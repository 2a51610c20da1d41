/** The figures of one subject on one case. */
import {
  disagreementProbability,
  flakiness,
  flakinessPercent,
  isFlaky,
  jeffreys,
  passAtK,
  type Metric,
} from '@assay/metrics'
import type { ReasonCode } from '@assay/contract'
import type { Cell, Tally } from '../../log/index.ts'
import { eachScored, type CellFigures } from './cell-figures.ts'
import type { CaseReport } from '../schema/report.ts'

export function caseReport(
  tally: Tally,
  figures: CellFigures,
  passK: readonly number[],
): CaseReport {
  const { cell, n, c, score, cost, answerMs } = figures
  const scored: number[] = []
  eachScored(tally, cell, (ordinal) => scored.push(ordinal))
  return {
    case: cell.case.id,
    caseHash: cell.case.hash,
    counts: { ...tally.counts(cell.first, cell.trials) },
    n,
    c,
    passRate: passRate(n, c),
    meanScore: score.n === 0 ? null : score.sum / score.n,
    passAtK: passK.map((k) => ({ k, value: n < k ? null : passAtK(n, c, k) })),
    flaky: n > 0 && isFlaky(n, c),
    flakinessPercent: n === 0 ? null : flakinessPercent(n, c),
    stable: n > 0 && flakiness(n, c).provenStable,
    disagreement: n < 2 ? null : disagreementProbability(n, c),
    meanCostUsd: cost.n === 0 || cost.n < n ? null : cost.sum / cost.n,
    meanAnswerMs: answerMs.n === 0 ? null : answerMs.sum / answerMs.n,
    failedGraders: tally.failedGraders(cell.case, scored),
    reasons: reasonsOf(tally, cell),
    sums: {
      scores: score.n,
      score: score.sum,
      scoreSq: score.sumSq,
      costUsd: cost.sum,
      costSq: cost.sumSq,
      costs: cost.n,
      answerMs: answerMs.sum,
      answerMsSq: answerMs.sumSq,
    },
  }
}

/**
 * Pass rate of one case. A single case says nothing about other cases, so the interval covers repeated trials
 * of this case.
 */
function passRate(n: number, c: number): Metric {
  if (n === 0) return { value: null, n, reason: 'no trial was scored' }
  const { low, high } = jeffreys(n, c)
  return {
    value: c / n,
    n,
    interval: { low, high, level: 0.95, method: 'jeffreys', target: 'fixed' },
  }
}

/** Returns the reasons why trials failed or errored, most frequent first. */
function reasonsOf(tally: Tally, cell: Cell): CaseReport['reasons'] {
  const counts = new Map<
    string,
    { outcome: 'failed' | 'errored'; code: ReasonCode; count: number }
  >()
  for (let i = cell.first; i < cell.first + cell.trials; i++) {
    const outcome = tally.outcomeAt(i)
    const code = tally.reasonAt(i)
    if (code === null || (outcome !== 'failed' && outcome !== 'errored')) continue
    const key = `${outcome} ${code}`
    const known = counts.get(key)
    if (known === undefined) counts.set(key, { outcome, code, count: 1 })
    else known.count++
  }
  return [...counts.values()].sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1))
}
