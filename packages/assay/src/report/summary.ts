/**
 * What a run's trials say: a pure function of the plan and the tally, so that it comes out the same
 * from a run that just ended and from its log read again, in whatever order the lines stand.
 */
import {
  costOfPassRatio,
  disagreementProbability,
  flakinessPercent,
  isFlaky,
  meanScoreEstimate,
  passAtK,
  passAtKEstimate,
  passHatKEstimate,
  passRateEstimate,
  quantile,
  Sum,
  totalUsd,
  type Metric,
} from '@assay/metrics'
import type { Source } from '../contract.ts'
import type { Cell, Counts, Plan, Tally } from '../run/index.ts'
import { codeCases, codeSummary, type CodeSummary } from './code-summary.ts'

export interface AtK {
  readonly k: number
  readonly metric: Metric
}

export interface CaseSummary {
  readonly case: string
  readonly counts: Counts
  /** Scored trials, and how many of them passed. */
  readonly n: number
  readonly c: number
  readonly meanScore: number | null
  readonly flaky: boolean
  readonly flakinessPercent: number | null
  /** Chance that two trials of this case disagree; null below two trials. */
  readonly disagreement: number | null
  /** pass@k for each k asked for; null below k scored trials. */
  readonly passAtK: readonly { readonly k: number; readonly value: number | null }[]
}

export interface SubjectSummary {
  readonly suite: string
  readonly subject: string
  readonly source: Source
  readonly counts: Counts
  readonly passRate: Metric
  readonly passAtK: readonly AtK[]
  readonly passHatK: readonly AtK[]
  readonly meanScore: Metric
  readonly cost: {
    /** Of all answers; null where the price of one is unknown. */
    readonly totalUsd: number | null
    readonly unknown: number
    /** Ratio of totals, with its interval. */
    readonly perPass: Metric
  }
  /** Milliseconds of answering, without waiting. */
  readonly latency: {
    readonly meanMs: number | null
    readonly medianMs: number | null
    readonly p95Ms: number | null
  }
  readonly tokens: { readonly input: number | null; readonly output: number | null }
  /** Of cases that are graded as code; null where there are none. */
  readonly code: CodeSummary | null
  readonly cases: readonly CaseSummary[]
}

export interface Summary {
  readonly passK: readonly number[]
  readonly counts: Counts
  readonly subjects: readonly SubjectSummary[]
  /** Lines that a later line of the same trial replaced. */
  readonly replaced: number
  readonly spentUsd: number
  /** Where code was run: `bubblewrap`, `process` or `none`; empty where there was none. */
  readonly sandboxes: readonly string[]
}

export interface SummarySubject {
  readonly id: string
  readonly source: Source
}

const SCORED_PASSED = 1
const SCORED_FAILED = 2

/** Summarises a tally; `subjects` says where each subject's answers came from. */
export function summarizeTally(
  tally: Tally,
  subjects: readonly SummarySubject[],
  passK: readonly number[],
): Summary {
  const { plan } = tally
  const coded = codeCases(tally)
  const rows = plan.suites.flatMap((suite) =>
    subjects.map(({ id, source }) =>
      subjectSummary(tally, cellsOf(plan, suite.id, id), source, passK, coded),
    ),
  )
  return {
    passK,
    counts: tally.counts(),
    subjects: rows,
    replaced: tally.replaced,
    spentUsd: tally.spentUsd,
    sandboxes: [...tally.sandboxes].sort(),
  }
}

const cellsOf = (plan: Plan, suite: string, subject: string): Cell[] =>
  plan.cells.filter((cell) => cell.suite.id === suite && cell.subject.id === subject)

interface CellFigures {
  readonly n: number
  readonly c: number
  readonly sum: number
  readonly sumSq: number
  readonly scores: number
  readonly costs: readonly number[]
  readonly unknown: number
}

function subjectSummary(
  tally: Tally,
  cells: readonly Cell[],
  source: Source,
  passK: readonly number[],
  coded: ReadonlySet<string>,
): SubjectSummary {
  const [first] = cells
  const figures = cells.map((cell) => cellFigures(tally, cell))
  const scored = figures.filter(({ n }) => n > 0)
  const counted = scored.map(({ n, c }) => ({ n, c }))
  const withScores = scored.filter(({ scores }) => scores > 0)
  const unknown = scored.reduce((sum, cell) => sum + cell.unknown, 0)
  const cost = scored.map(({ n, c, costs }) => ({ n, c, cost: totalUsd(costs) }))
  const latencies = ofScored(tally, cells, tally.answerMs).sort()
  return {
    suite: first?.suite.id ?? '',
    subject: first?.subject.id ?? '',
    source,
    counts: sumCounts(cells.map((cell) => tally.counts(cell.first, cell.trials))),
    passRate: orNone(counted, () => passRateEstimate(counted, 'population')),
    passAtK: passK.map((k) => ({
      k,
      metric: orNone(counted, () => passAtKEstimate(counted, k, 'population')),
    })),
    passHatK: passK.map((k) => ({
      k,
      metric: orNone(counted, () => passHatKEstimate(counted, k, 'population')),
    })),
    meanScore: orNone(withScores, () =>
      meanScoreEstimate(
        withScores.map(({ scores, sum, sumSq }) => ({ n: scores, sum, sumSq })),
        'population',
      ),
    ),
    cost: {
      totalUsd: unknown > 0 || scored.length === 0 ? null : totalUsd(cost.map((one) => one.cost)),
      unknown,
      perPass:
        unknown > 0
          ? { value: null, n: scored.length, reason: `the price of ${unknown} answers is unknown` }
          : orNone(cost, () => costOfPassRatio(cost)),
    },
    latency: {
      meanMs: meanOf(latencies),
      medianMs: at(latencies, 0.5),
      p95Ms: at(latencies, 0.95),
    },
    tokens: {
      input: totalOf(ofScored(tally, cells, tally.inputTokens)),
      output: totalOf(ofScored(tally, cells, tally.outputTokens)),
    },
    code: codeSummary(tally, cells, coded, meanOf(ofScored(tally, cells, tally.gradeMs))),
    cases: cells.map((cell, i) => caseSummary(tally, cell, figures[i] as CellFigures, passK)),
  }
}

const NOTHING: Metric = { value: null, n: 0, reason: 'no trial was scored' }

const orNone = (list: readonly unknown[], estimate: () => Metric): Metric =>
  list.length === 0 ? NOTHING : estimate()

function cellFigures(tally: Tally, cell: Cell): CellFigures {
  let n = 0
  let c = 0
  let scores = 0
  let unknown = 0
  const sum = new Sum()
  const sumSq = new Sum()
  const costs: number[] = []
  for (let i = cell.first; i < cell.first + cell.trials; i++) {
    const outcome = tally.outcome[i]
    if (outcome !== SCORED_PASSED && outcome !== SCORED_FAILED) continue
    n++
    if (outcome === SCORED_PASSED) c++
    const score = tally.score[i] as number
    if (!Number.isNaN(score)) {
      scores++
      sum.add(score)
      sumSq.add(score * score)
    }
    const usd = tally.answerUsd[i] as number
    if (Number.isNaN(usd)) unknown++
    else costs.push(usd)
  }
  return { n, c, sum: sum.value, sumSq: sumSq.value, scores, costs, unknown }
}

function caseSummary(
  tally: Tally,
  cell: Cell,
  figures: CellFigures,
  passK: readonly number[],
): CaseSummary {
  const { n, c, sum, scores } = figures
  return {
    case: cell.case.id,
    counts: tally.counts(cell.first, cell.trials),
    n,
    c,
    meanScore: scores === 0 ? null : sum / scores,
    flaky: n > 0 && isFlaky(n, c),
    flakinessPercent: n === 0 ? null : flakinessPercent(n, c),
    disagreement: n < 2 ? null : disagreementProbability(n, c),
    passAtK: passK.map((k) => ({ k, value: n < k ? null : passAtK(n, c, k) })),
  }
}

/** A column's values over the scored trials of some cells, where they are known. */
function ofScored(tally: Tally, cells: readonly Cell[], column: Float64Array): Float64Array {
  const values: number[] = []
  for (const cell of cells)
    for (let i = cell.first; i < cell.first + cell.trials; i++) {
      const outcome = tally.outcome[i]
      if (outcome !== SCORED_PASSED && outcome !== SCORED_FAILED) continue
      const value = column[i] as number
      values.push(value)
    }
  return Float64Array.from(values)
}

function sumCounts(counts: readonly Counts[]): Counts {
  const total = { planned: 0, passed: 0, failed: 0, unscored: 0, errored: 0, cancelled: 0 }
  for (const one of counts)
    for (const key of Object.keys(total) as (keyof Counts)[]) total[key] += one[key]
  return total
}

function meanOf(values: Float64Array): number | null {
  if (values.length === 0) return null
  const sum = new Sum()
  for (const value of values) sum.add(value)
  return sum.over(values.length)
}

/** Null where a single one is unknown: the rest would be another total. */
function totalOf(values: Float64Array): number | null {
  if (values.length === 0) return null
  let total = 0
  for (const value of values) {
    if (Number.isNaN(value)) return null
    total += value
  }
  return total
}

const at = (sorted: Float64Array, p: number): number | null =>
  sorted.length === 0 ? null : quantile(sorted, p)
