/**
 * The figures of code-scoring for one subject: how many samples compile, how many of their tests pass, how
 * clean they are, and how far they were kept from deciding their own verdict. As the document has it, the
 * compilation rate is over trials and the test pass rate over cases, each by the mean of its trials; an
 * answer that was never compiled, empty or cut off, compiled nothing and passed nothing.
 */
import { fsum, mean, meanScoreEstimate, passRateEstimate, Sum, type Metric } from '@assay/metrics'
import type { Cell, Tally } from '../run/index.ts'

export interface CodeSummary {
  /** Share of scored trials that compile. */
  readonly compilationRate: Metric
  /** Mean over cases of the share of tests passed; 0 where nothing compiled or there are no tests. */
  readonly testPassRate: Metric
  /** Mean over the trials that compile. */
  readonly lintScore: Metric
  /** Grading a trial, which latency leaves out. */
  readonly meanGradeMs: number | null
  /** Trials whose tests ran apart from the code, and beside it. */
  readonly integrity: { readonly values: number; readonly inventory: number }
}

const NONE: Metric = { value: null, n: 0, reason: 'no code was compiled' }

interface Figures {
  readonly n: number
  readonly compiled: number
  readonly tests: ScoreSum
  readonly lint: ScoreSum
}

interface ScoreSum {
  readonly n: number
  readonly sum: number
  readonly sumSq: number
}

/** Null where none of the cases is code. */
export function codeSummary(
  tally: Tally,
  cells: readonly Cell[],
  coded: ReadonlySet<string>,
  meanGradeMs: number | null,
): CodeSummary | null {
  const cases = cells.filter((cell) => coded.has(keyOf(cell))).map((cell) => figures(tally, cell))
  const scored = cases.filter(({ n }) => n > 0)
  if (scored.length === 0) return null
  const trials = scored.reduce((sum, one) => sum + one.n, 0)
  const compiled = scored.reduce((sum, one) => sum + one.compiled, 0)
  const linted = scored.map(({ lint }) => lint).filter(({ n }) => n > 0)
  const integrity = [0, 0, 0]
  for (const cell of cells)
    for (let i = cell.first; i < cell.first + cell.trials; i++)
      (integrity[tally.code?.integrity[i] ?? 0] as number)++
  return {
    compilationRate: {
      ...passRateEstimate(
        scored.map((one) => ({ n: one.n, c: one.compiled })),
        'population',
      ),
      value: compiled / trials,
    },
    testPassRate: {
      ...meanScoreEstimate(
        scored.map(({ tests }) => tests),
        'population',
      ),
      value: mean(scored.map(({ tests }) => tests.sum / tests.n)),
    },
    lintScore:
      linted.length === 0
        ? NONE
        : {
            ...meanScoreEstimate(linted, 'population'),
            value: fsum(linted.map(({ sum }) => sum)) / compiled,
          },
    meanGradeMs,
    integrity: { values: integrity[1] as number, inventory: integrity[2] as number },
  }
}

const keyOf = ({ suite, case: one }: Cell): string => `${suite.id}\n${one.id}`

/** The cases that are graded as code, also those that got no answer to compile. */
export function codeCases({ plan }: Tally): ReadonlySet<string> {
  const isCode = ({ code, graders = [] }: Cell['case']): boolean =>
    code === true || graders.some(({ type }) => type === 'code')
  return new Set(plan.cells.filter((cell) => isCode(cell.case)).map(keyOf))
}

function figures(tally: Tally, cell: Cell): Figures {
  const tests: number[] = []
  const lint: number[] = []
  for (let i = cell.first; i < cell.first + cell.trials; i++) {
    const outcome = tally.outcomeAt(i)
    if (outcome !== 'passed' && outcome !== 'failed') continue
    const at = (column: Float64Array | undefined): number => {
      const value = column?.[i]
      return value === undefined || Number.isNaN(value) ? 0 : value
    }
    tests.push(at(tally.code?.tests))
    if (at(tally.code?.compiled) === 1) lint.push(at(tally.code?.lint))
  }
  return { n: tests.length, compiled: lint.length, tests: scores(tests), lint: scores(lint) }
}

function scores(values: readonly number[]): ScoreSum {
  const sum = new Sum()
  const sumSq = new Sum()
  for (const value of values) {
    sum.add(value)
    sumSq.add(value * value)
  }
  return { n: values.length, sum: sum.value, sumSq: sumSq.value }
}
