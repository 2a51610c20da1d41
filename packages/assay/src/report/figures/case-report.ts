/** Computes the figures of one subject on one case. */
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

/** The figures of a case that depend only on its number of trials and its number of passes. */
export type PassFigures = Pick<
  CaseReport,
  'passRate' | 'passAtK' | 'flaky' | 'flakinessPercent' | 'stable' | 'disagreement'
>

/** Returns the figures for c passes of n trials. */
export type PassFiguresOf = (n: number, c: number) => PassFigures

/**
 * Returns a function that computes the figures only once for each pair of numbers. Thousands of cases have the same
 * number of trials, so they share a few objects.
 */
export function passFigures(passK: readonly number[]): PassFiguresOf {
  const known = new Map<number, Map<number, PassFigures>>()
  return (n, c) => {
    let ofN = known.get(n)
    if (ofN === undefined) known.set(n, (ofN = new Map()))
    let figures = ofN.get(c)
    if (figures === undefined) ofN.set(c, (figures = figuresOf(n, c, passK)))
    return figures
  }
}

function figuresOf(n: number, c: number, passK: readonly number[]): PassFigures {
  return {
    passRate: passRate(n, c),
    passAtK: passK.map((k) => ({ k, value: n < k ? null : passAtK(n, c, k) })),
    flaky: n > 0 && isFlaky(n, c),
    flakinessPercent: n === 0 ? null : flakinessPercent(n, c),
    stable: n > 0 && flakiness(n, c).provenStable,
    disagreement: n < 2 ? null : disagreementProbability(n, c),
  }
}

/** The tags and metadata that a suite gives to a case. Figures can be broken down by them. */
export type CaseLabels = Pick<CaseReport, 'tags' | 'metadata'>

export function caseReport(
  tally: Tally,
  figures: CellFigures,
  figuresFor: PassFiguresOf,
  labels: CaseLabels = {},
): CaseReport {
  const { cell, n, c, score, cost, answerMs } = figures
  const scored: number[] = []
  eachScored(tally, cell, (ordinal) => scored.push(ordinal))
  const shared = figuresFor(n, c)
  return {
    case: cell.case.id,
    caseHash: cell.case.hash,
    ...(cell.case.group === undefined ? {} : { group: cell.case.group }),
    ...labels,
    counts: tally.counts(cell.first, cell.trials),
    n,
    c,
    passRate: shared.passRate,
    meanScore: score.n === 0 ? null : score.sum / score.n,
    passAtK: shared.passAtK,
    flaky: shared.flaky,
    flakinessPercent: shared.flakinessPercent,
    stable: shared.stable,
    disagreement: shared.disagreement,
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
 * Returns the pass rate of one case. A single case says nothing about other cases, so the interval is about repeated
 * trials of this case.
 */
function passRate(n: number, c: number): Metric {
  if (n === 0) return { value: null, n, reason: 'no trial was scored' }
  const { low, high } = jeffreys(n, c)
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
