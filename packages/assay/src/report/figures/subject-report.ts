/** The figures of one subject on one suite. */
import {
  costOfPassRatio,
  gradeProbabilities,
  letterGrade,
  mean,
  meanScoreEstimate,
  passAtKCurve,
  passAtKEstimate,
  passHatKCurve,
  passHatKEstimate,
  passRateEstimate,
  quantile,
  resampledMedians,
  Sum,
  totalUsd,
  type Metric,
  type TierSummary,
} from '@assay/metrics'
import type { Source } from '@assay/contract'
import type { Cell, Column, Counts, Tally } from '../../log/index.ts'
import { caseReport } from './case-report.ts'
import { cellFigures, scoredValues, type CellFigures } from './cell-figures.ts'
import { codeSummary } from './code-summary.ts'
import { compositeSums } from './composite.ts'
import { counted } from '../../text/index.ts'
import type { ReportMetric, SubjectReport } from '../schema/report.ts'
import { reported } from '../schema/to-metric.ts'
import { specBlocks, type SpecOptions } from './spec-blocks.ts'

export interface SubjectOptions extends SpecOptions {
  readonly source: Source
  /** Cases that are graded as code. */
  readonly coded: ReadonlySet<object>
  readonly seed: number
}

export interface SubjectFigures {
  readonly report: SubjectReport
  /** Used for figures across tiers; null if no trial was scored. */
  readonly tier: TierSummary | null
  /** Figures of each case, in the suite's order. */
  readonly figures: readonly CellFigures[]
}

export function subjectReport(
  tally: Tally,
  cells: readonly Cell[],
  options: SubjectOptions,
): SubjectFigures {
  const { passK } = options
  const figures = cells.map((cell) => cellFigures(tally, cell))
  const scored = figures.filter(({ n }) => n > 0)
  const rates = scored.map(({ n, c }) => ({ n, c }))
  const scores = scored.map(({ score }) => score).filter(({ n }) => n > 0)
  const { spec, tier } = specBlocks(tally, figures, options)
  const estimate = (list: readonly unknown[], metric: () => Metric): ReportMetric =>
    list.length === 0 ? NOTHING : reported(metric())
  const waiting = scoredValues(tally, cells, tally.waitMs).values
  const report: SubjectReport = {
    suite: cells[0]?.suite.id ?? '',
    subject: cells[0]?.subject.id ?? '',
    source: options.source,
    counts: sumCounts(cells.map((cell) => tally.counts(cell.first, cell.trials))),
    passRate: estimate(rates, () => passRateEstimate(rates, 'population')),
    meanScore: estimate(scores, () => meanScoreEstimate(scores, 'population')),
    passAtK: passK.map((k) => ({
      k,
      metric: estimate(rates, () => passAtKEstimate(rates, k, 'population')),
    })),
    passHatK: passK.map((k) => ({
      k,
      metric: estimate(rates, () => passHatKEstimate(rates, k, 'population')),
    })),
    curve: {
      passAtK: thinned(passAtKCurve(rates, 'population')),
      passHatK: thinned(passHatKCurve(rates, 'population')),
    },
    fixed: {
      passRate: estimate(rates, () => passRateEstimate(rates, 'fixed')),
      meanScore: estimate(scores, () => meanScoreEstimate(scores, 'fixed')),
    },
    sensitivity: sensitivity(figures),
    cost: cost(tally, cells, scored),
    latency: latency(scoredValues(tally, cells, tally.answerMs).values),
    waiting: { meanMs: meanOf(waiting), totalMs: waiting.length === 0 ? null : sumOf(waiting) },
    grading: { meanMs: meanOf(scoredValues(tally, cells, tally.gradeMs).values) },
    tokens: {
      input: total(tally, cells, tally.tokens.input),
      cacheRead: total(tally, cells, tally.tokens.cacheRead),
      cacheWrite: total(tally, cells, tally.tokens.cacheWrite),
      output: total(tally, cells, tally.tokens.output),
      reasoning: total(tally, cells, tally.tokens.reasoning),
    },
    code: codeSummary(tally, figures, options.coded),
    ...graded(tally, scored, tier, options),
    spec,
    cases: figures.map((one) => caseReport(tally, one, passK)),
  }
  return { report, tier, figures }
}

const NOTHING: ReportMetric = { value: null, n: 0, reason: 'no trial was scored' }

/**
 * A curve has a point for every k up to `CURVE_FULL`, then up to `CURVE_MORE` points, spaced evenly by ratio.
 */
const CURVE_FULL = 100
const CURVE_MORE = 40

function thinned(curve: readonly Metric[]): SubjectReport['curve']['passAtK'] {
  const ks = new Set(curve.slice(0, CURVE_FULL).map((_, i) => i + 1))
  for (let step = 1; curve.length > CURVE_FULL && step <= CURVE_MORE; step++)
    ks.add(Math.round(CURVE_FULL * (curve.length / CURVE_FULL) ** (step / CURVE_MORE)))
  return [...ks].map((k) => ({ k, metric: reported(curve[k - 1] as Metric) }))
}

/**
 * The lowest and highest pass rate that the errored trials could have led to: all failed, or all passed.
 * Averaged over cases, as the pass rate is.
 */
function sensitivity(figures: readonly CellFigures[]): SubjectReport['sensitivity'] {
  const tried = figures.filter(({ n, errored }) => n + errored > 0)
  if (tried.length === 0) return { erroredFail: null, erroredPass: null }
  return {
    erroredFail: mean(tried.map(({ n, c, errored }) => c / (n + errored))),
    erroredPass: mean(tried.map(({ n, c, errored }) => (c + errored) / (n + errored))),
  }
}

function cost(
  tally: Tally,
  cells: readonly Cell[],
  scored: readonly CellFigures[],
): SubjectReport['cost'] {
  const trials = scored.reduce((sum, { n }) => sum + n, 0)
  const unknown = trials - scored.reduce((sum, one) => sum + one.cost.n, 0)
  const judge = scoredValues(tally, cells, tally.judgeUsd).values
  const judgeUsd = judge.length === 0 ? null : totalUsd([...judge])
  if (trials === 0)
    return { totalUsd: null, perTrialUsd: null, unknown, perPass: NOTHING, judgeUsd }
  if (unknown > 0) {
    const reason = `the price of ${counted(unknown, 'answer')} is unknown`
    const perPass = { value: null, n: scored.length, reason }
    return { totalUsd: null, perTrialUsd: null, unknown, perPass, judgeUsd }
  }
  const costs = scored.map(({ n, c, cost: { sum } }) => ({ n, c, cost: sum }))
  const sum = totalUsd(costs.map((one) => one.cost))
  return {
    totalUsd: sum,
    perTrialUsd: sum / trials,
    unknown,
    perPass: reported(costOfPassRatio(costs)),
    judgeUsd,
  }
}

function latency(values: Float64Array): SubjectReport['latency'] {
  const sorted = values.toSorted()
  const at = (p: number): number | null => (sorted.length === 0 ? null : quantile(sorted, p))
  return { meanMs: meanOf(values), medianMs: at(0.5), p95Ms: at(0.95) }
}

/** The composite and the letter grade; null unless every scored trial has an implementation rate. */
function graded(
  tally: Tally,
  scored: readonly CellFigures[],
  tier: TierSummary | null,
  { seed, scoring }: SubjectOptions,
): Pick<SubjectReport, 'composite' | 'grade'> {
  if (tier === null || tier.pooled.composite === null) return { composite: null, grade: null }
  const cases = scored.map(({ cell }) => compositeSums(tally, cell, scoring))
  const medians = resampledMedians(
    cases.map(({ n, sum }) => sum / n),
    { seed },
  )
  return {
    composite: reported(meanScoreEstimate(cases, 'population')),
    grade: {
      letter: tier.grade,
      probabilities: [...gradeProbabilities((score) => letterGrade(score, scoring.scale), medians)],
    },
  }
}

function sumCounts(counts: readonly Counts[]): SubjectReport['counts'] {
  const all = { planned: 0, passed: 0, failed: 0, unscored: 0, errored: 0, cancelled: 0 }
  for (const one of counts)
    for (const key of Object.keys(all) as (keyof Counts)[]) all[key] += one[key]
  return all
}

function sumOf(values: Float64Array): number {
  const sum = new Sum()
  for (const value of values) sum.add(value)
  return sum.value
}

function meanOf(values: Float64Array): number | null {
  if (values.length === 0) return null
  const sum = new Sum()
  for (const value of values) sum.add(value)
  return sum.over(values.length)
}

/**
 * Returns the total of a column; null if any value is unknown, since the sum of the others would be
 * misleading.
 */
function total(tally: Tally, cells: readonly Cell[], column: Column): number | null {
  const { values, unknown } = scoredValues(tally, cells, column)
  return unknown > 0 || values.length === 0 ? null : sumOf(values)
}
