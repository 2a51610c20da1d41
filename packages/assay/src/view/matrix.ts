/**
 * The matrix: cases × subjects of any runs, with one answer in each cell. Only the rows of one page get their answers
 * read, so a run of any size can be shown.
 */
import type { Text, Trial } from '@assay/contract'
import { answerText, type RunReport } from '../report/index.ts'
import type {
  MatrixCell,
  MatrixColumn,
  MatrixFilter,
  MatrixRow,
  ViewMatrix,
} from '../report/view-data/index.ts'

export const MOST_COLUMNS = 8
const PAGE = 20
/** To find rows with different answers, so many cells are looked at. In a larger matrix, outcomes are compared. */
const MOST_READ = 20_000

export interface MatrixSource extends MatrixColumn {
  readonly title: string
  readonly folder: string
  readonly source: RunReport
}

export interface MatrixRequest {
  readonly columns: readonly MatrixSource[]
  /** Null: the first suite of the first column. */
  readonly suite: string | null
  readonly only: MatrixFilter
  /** Which trial of each cell is shown. A cell with fewer trials shows its last. */
  readonly index: number
  readonly from: number
}

export function makeMatrix({
  columns,
  suite: asked,
  only,
  index,
  from,
}: MatrixRequest): ViewMatrix {
  const suites = [...new Set(columns.flatMap(suitesOf))]
  const suite = suites.find((one) => one === asked) ?? suites[0] ?? ''
  const names = [...new Set(columns.flatMap((column) => casesOf(column, suite)))]
  const outcomes = (one: string): string[] =>
    columns.map(({ source, subject }) => source.outcomesOf(suite, one, subject))
  const isRead = names.length * columns.length <= MOST_READ
  const matching = names.filter((one) => {
    if (only === 'all') return true
    const all = outcomes(one)
    if (only === 'failed') return all.some((letters) => /[fe]/.test(letters))
    if (new Set(all).size > 1 || !isRead) return new Set(all).size > 1
    return new Set(columns.map((column) => answerKey(column, suite, one, index))).size > 1
  })
  const start = Math.min(from, Math.floor(Math.max(0, matching.length - 1) / PAGE) * PAGE)
  return {
    suites,
    suite,
    columns: columns.map(({ run, subject, title, folder }) => ({ run, subject, title, folder })),
    rows: matching.slice(start, start + PAGE).map((one) => rowOf(columns, suite, one, index)),
    from: start,
    matching: matching.length,
    total: names.length,
    trials: names.reduce(
      (most, one) => outcomes(one).reduce((sum, { length }) => Math.max(sum, length), most),
      0,
    ),
  }
}

const suitesOf = ({ source, subject }: MatrixSource): string[] =>
  source.report.subjects.filter((row) => row.subject === subject).map(({ suite }) => suite)

const casesOf = ({ source, subject }: MatrixSource, suite: string): string[] =>
  source.report.subjects
    .filter((row) => row.subject === subject && row.suite === suite)
    .flatMap(({ cases }) => cases.map((one) => one.case))

function rowOf(
  columns: readonly MatrixSource[],
  suite: string,
  one: string,
  index: number,
): MatrixRow {
  const asked = columns
    .flatMap(({ source }) => source.suites)
    .filter(({ id }) => id === suite)
    .flatMap(({ cases }) => cases)
    .find(({ id }) => id === one)
  return {
    case: one,
    name: asked?.name ?? '',
    isCode: asked?.language != null,
    cells: columns.map((column) => cellOf(column, suite, one, index)),
  }
}

function cellOf(
  column: MatrixSource,
  suite: string,
  one: string,
  index: number,
): MatrixCell | null {
  const { source, subject } = column
  const outcomes = source.outcomesOf(suite, one, subject)
  if (outcomes === '') return null
  const at = Math.min(index, outcomes.length - 1)
  const trial = trialAt(column, suite, one, at)
  return {
    outcomes,
    index: at,
    trial:
      trial === null
        ? null
        : {
            outcome: trial.outcome,
            score: trial.score,
            answer: answerText(trial, source.text),
            acted: trial.trajectory !== undefined || trial.diff !== undefined,
          },
  }
}

const trialAt = (
  { source, subject }: MatrixSource,
  suite: string,
  one: string,
  at: number,
): Trial | null => source.trialAt(suite, one, subject, at)

/** A text that is the same for the same answer. A long answer is compared by its hash. */
function answerKey(column: MatrixSource, suite: string, one: string, index: number): string {
  const { length } = column.source.outcomesOf(suite, one, column.subject)
  if (length === 0) return ''
  const answer: Text | null =
    trialAt(column, suite, one, Math.min(index, length - 1))?.answer ?? null
  return JSON.stringify(typeof answer === 'object' && answer !== null ? answer.blob : answer)
}
