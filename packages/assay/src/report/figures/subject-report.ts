/** Computes the figures of one subject on one suite. */
import {
  costOfPassRatio,
  DEFAULT_LEVEL,
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
import { SMALL_RUN, type Cell, type Column, type Tally } from '../../log/index.ts'
import { caseReport, passFigures, type CaseLabels } from './case-report.ts'
import {
  cellFigures,
  scoredSum,
  scoredValues,
  type CellFigures,
  type ScoredSum,
} from './cell-figures.ts'
import { codeSummary } from './code-summary.ts'
import { countGroups, groupNames } from './groups/case-groups.ts'
import { compositeSums, implRateAt, type TierScoring } from './composite.ts'
import { counted } from '../../text/index.ts'
import type { ReportMetric, SubjectReport } from '../schema/report.ts'
import { reported } from '../schema/to-metric.ts'
import { gradeMeaning } from '../words/grade-words.ts'
import { runFigures } from './runs/run-figures.ts'
import { specBlocks, type SpecOptions } from './spec-blocks.ts'

export interface SubjectOptions extends SpecOptions {
  readonly source: Source
  /** The cases that the code grader grades. */
  readonly coded: ReadonlySet<object>
  readonly seed: number
  /** If true, the figures of single trials are left out. */
  readonly brief: boolean
  /** Returns the tags and the metadata of a case. */
  readonly labelsOf?: ((one: string) => CaseLabels) | undefined
}

export interface SubjectFigures {
  readonly report: SubjectReport
  /** The subject's figures for comparing tiers. Null if no trial was scored. */
  readonly tier: TierSummary | null
  /** The figures of each case, in the order of the suite. */
  readonly figures: readonly CellFigures[]
}

export function subjectReport(
  tally: Tally,
  cells: readonly Cell[],
  options: SubjectOptions,
): SubjectFigures {
  const { passK } = options
  const figuresFor = passFigures(passK)
  const figures = cells.map((cell) => cellFigures(tally, cell))
  const scored = figures.filter(({ n }) => n > 0)
  const rates = scored.map(({ n, c }) => ({ n, c }))
  const groups = groupsOf(scored)
  const withScore = scored.filter(({ score }) => score.n > 0)
  const scores = withScore.map(({ score }) => score)
  const scoreGroups = groupsOf(withScore)
  const units = countGroups(scored.map(({ cell }) => cell.case))
  let blocks: ReturnType<typeof specBlocks> | null = null
  const specified = (): ReturnType<typeof specBlocks> =>
    (blocks ??= specBlocks(tally, figures, options))
  // A brief report computes these figures only when they are read. It is about a run that has ended, and few readers
  // look at them.
  if (!options.brief) specified()
  const estimate = (list: readonly unknown[], metric: () => Metric): ReportMetric =>
    list.length === 0 ? NOTHING : reported(metric())
  const waiting = scoredSum(tally, cells, tally.waitMs)
  const grading = scoredSum(tally, cells, tally.gradeMs)
  const report: SubjectReport = {
    suite: cells[0]?.suite.id ?? '',
    subject: cells[0]?.subject.id ?? '',
    source: options.source,
    counts: sumCounts(tally, cells),
    ...(units === null ? {} : { groups: units }),
    passRate: estimate(rates, () => passRateEstimate(rates, 'population', LEVEL, groups)),
    meanScore: estimate(scores, () => meanScoreEstimate(scores, 'population', LEVEL, scoreGroups)),
    passAtK: passK.map((k) => ({
      k,
      metric: estimate(rates, () => passAtKEstimate(rates, k, 'population', LEVEL, groups)),
    })),
    passHatK: passK.map((k) => ({
      k,
      metric: estimate(rates, () => passHatKEstimate(rates, k, 'population', LEVEL, groups)),
    })),
    curve: {
      passAtK: thinned(passAtKCurve(rates, 'population', LEVEL, groups)),
      passHatK: thinned(passHatKCurve(rates, 'population', LEVEL, groups)),
    },
    fixed: {
      passRate: estimate(rates, () => passRateEstimate(rates, 'fixed')),
      meanScore: estimate(scores, () => meanScoreEstimate(scores, 'fixed')),
    },
    sensitivity: sensitivity(figures),
    cost: cost(tally, cells, scored),
    latency: latency(scoredValues(tally, cells, tally.answerMs).values),
    duration: durationOf(scoredValues(tally, cells, tally.durationMs).values),
    waiting: {
      meanMs: meanIn(waiting),
      totalMs: waiting.known === 0 ? null : waiting.sum.value,
    },
    grading: { meanMs: meanIn(grading) },
    tokens: {
      input: total(tally, cells, tally.tokens.input),
      cacheRead: total(tally, cells, tally.tokens.cacheRead),
      cacheWrite: total(tally, cells, tally.tokens.cacheWrite),
      output: total(tally, cells, tally.tokens.output),
      reasoning: total(tally, cells, tally.tokens.reasoning),
    },
    code: codeSummary(tally, figures, options.coded),
    ...graded(tally, scored, specified, options),
    get spec() {
      return specified().spec
    },
    cases: figures.map((one) => ({
      ...caseReport(tally, one, figuresFor, options.labelsOf?.(one.cell.case.id)),
      ...(options.brief || tally.plan.planned > SMALL_RUN
        ? {}
        : { runs: runFigures(tally, one.cell, options.scoring) }),
    })),
  }
  return {
    report,
    get tier() {
      return specified().tier
    },
    figures,
  }
}

const LEVEL = DEFAULT_LEVEL

/** Returns the group of each case. Undefined if no two cases share a group. */
const groupsOf = (figures: readonly CellFigures[]): readonly string[] | undefined =>
  groupNames(figures.map(({ cell }) => cell.case))

const NOTHING: ReportMetric = { value: null, n: 0, reason: 'no trial was scored' }

/**
 * The k values of a curve of pass@k. There is one point for every k up to `CURVE_FULL`. For larger k there are up to
 * `CURVE_MORE` points, with about equal ratios between neighbours.
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
 * Returns the lowest and the highest possible pass rate: if all errored trials had failed, and if all had passed. Both
 * are means over cases, like the pass rate.
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
    perPass: reported(costOfPassRatio(costs, LEVEL, 1, groupsOf(scored))),
    judgeUsd,
  }
}

function latency(values: Float64Array): SubjectReport['latency'] {
  // The array is sorted in place, which is safe because only this function uses it.
  const meanMs = meanOf(values)
  const sorted = values.sort()
  const at = (p: number): number | null => (sorted.length === 0 ? null : quantile(sorted, p))
  return { meanMs, medianMs: at(0.5), p95Ms: at(0.95) }
}

function durationOf(values: Float64Array): Exclude<SubjectReport['duration'], undefined> {
  const { meanMs, medianMs } = latency(values)
  return { meanMs, medianMs }
}

/**
 * Returns the composite and the letter grade. Null if a scored trial has no implementation rate. A rate that was
 * ignored because it cannot be right does not count as missing.
 */
function graded(
  tally: Tally,
  scored: readonly CellFigures[],
  specified: () => { readonly tier: TierSummary | null },
  { seed, scoring }: SubjectOptions,
): Pick<SubjectReport, 'composite' | 'grade'> {
  const tier = isRated(tally, scored, scoring) ? specified().tier : null
  if (tier === null || tier.pooled.composite === null) return { composite: null, grade: null }
  // If the rates of all trials of a case were ignored, the case has no composite.
  const used = scored.filter(({ cell }) => compositeSums(tally, cell, scoring).n > 0)
  const cases = used.map(({ cell }) => compositeSums(tally, cell, scoring))
  const groups = groupsOf(used)
  const medians = resampledMedians(
    cases.map(({ n, sum }) => sum / n),
    groups === undefined ? { seed } : { seed, groups },
  )
  return {
    composite: reported(meanScoreEstimate(cases, 'population', LEVEL, groups)),
    grade: {
      letter: tier.grade,
      meaning: gradeMeaning(tier.grade, scoring.scale),
      probabilities: [...gradeProbabilities((score) => letterGrade(score, scoring.scale), medians)],
    },
  }
}

/**
 * Whether every scored trial has an implementation rate. A rate that was ignored because it cannot be right does not
 * count as missing.
 */
const isRated = (tally: Tally, scored: readonly CellFigures[], scoring: TierScoring): boolean =>
  scored.every(({ cell: { first, trials } }) => {
    for (let i = first; i < first + trials; i++)
      if (
        tally.isScored(i) &&
        implRateAt(tally, i, scoring) === null &&
        scoring.isSetAside?.(i) !== true
      )
        return false
    return true
  })

function sumCounts(tally: Tally, cells: readonly Cell[]): SubjectReport['counts'] {
  const all = { planned: 0, passed: 0, failed: 0, unscored: 0, errored: 0, cancelled: 0 }
  for (const { first, trials } of cells) {
    const one = tally.counts(first, trials)
    for (const key of COUNTED) all[key] += one[key]
  }
  return all
}

const COUNTED = ['planned', 'passed', 'failed', 'unscored', 'errored', 'cancelled'] as const

const meanIn = ({ sum, known }: ScoredSum): number | null => (known === 0 ? null : sum.over(known))

function meanOf(values: Float64Array): number | null {
  if (values.length === 0) return null
  const sum = new Sum()
  for (let i = 0; i < values.length; i++) sum.add(values[i] as number)
  return sum.over(values.length)
}

/**
 * Returns the total of a column. Null if any value is unknown, because the sum of the known values would be misleading.
 */
function total(tally: Tally, cells: readonly Cell[], column: Column): number | null {
  const { sum, known, unknown } = scoredSum(tally, cells, column)
  return unknown > 0 || known === 0 ? null : sum.value
}
