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

/** Returns the interval for c passes of n trials, and whether they prove that the case is stable. */
export type PassIntervals = (
  n: number,
  c: number,
) => { readonly low: number; readonly high: number; readonly stable: boolean }

/**
 * Returns a function that computes each interval only once. Thousands of cases have the same number of trials, so they
 * need only a few different intervals.
 */
export function passIntervals(): PassIntervals {
  const known = new Map<number, Map<number, ReturnType<PassIntervals>>>()
  return (n, c) => {
    let ofN = known.get(n)
    if (ofN === undefined) known.set(n, (ofN = new Map()))
    let interval = ofN.get(c)
    if (interval === undefined) {
      const { low, high } = jeffreys(n, c)
      interval = { low, high, stable: flakiness(n, c).provenStable }
      ofN.set(c, interval)
    }
    return interval
  }
}

/** What a suite says about a case, by which figures can be broken down. */
export type CaseLabels = Pick<CaseReport, 'tags' | 'metadata'>

export function caseReport(
  tally: Tally,
  figures: CellFigures,
  passK: readonly number[],
  intervals: PassIntervals,
  labels: CaseLabels = {},
): CaseReport {
  const { cell, n, c, score, cost, answerMs } = figures
  const scored: number[] = []
  eachScored(tally, cell, (ordinal) => scored.push(ordinal))
  return {
    case: cell.case.id,
    caseHash: cell.case.hash,
    ...(cell.case.group === undefined ? {} : { group: cell.case.group }),
    ...labels,
    counts: { ...tally.counts(cell.first, cell.trials) },
    n,
    c,
    passRate: passRate(n, c, intervals),
    meanScore: score.n === 0 ? null : score.sum / score.n,
    passAtK: passK.map((k) => ({ k, value: n < k ? null : passAtK(n, c, k) })),
    flaky: n > 0 && isFlaky(n, c),
    flakinessPercent: n === 0 ? null : flakinessPercent(n, c),
    stable: n > 0 && intervals(n, c).stable,
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
 * The pass rate of one case. A single case says nothing about other cases, so the interval is about repeated trials of
 * this case.
 */
function passRate(n: number, c: number, intervals: PassIntervals): Metric {
  if (n === 0) return { value: null, n, reason: 'no trial was scored' }
  const { low, high } = intervals(n, c)
  return {
    value: c / n,
    n,
    se: Math.sqrt(((c / n) * (1 - c / n)) / n),
    effectiveN: n,
    interval: { low, high, level: 0.95, method: 'Jeffreys', target: 'fixed' },
  }
}

/** Returns the reasons why trials failed or errored, most frequent first. */
function reasonsOf(tally: Tally, cell: Cell): CaseReport['reasons'] {
  const reasons: { outcome: 'failed' | 'errored'; code: ReasonCode; count: number }[] = []
  for (let i = cell.first; i < cell.first + cell.trials; i++) {
    const outcome = tally.outcomeAt(i)
    const code = tally.reasonAt(i)
    if (code === null || (outcome !== 'failed' && outcome !== 'errored')) continue
    const known = reasons.find((one) => one.code === code && one.outcome === outcome)
    if (known === undefined) reasons.push({ outcome, code, count: 1 })
    else known.count++
  }
  return reasons.sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1))
}
