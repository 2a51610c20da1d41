/**
 * The matrix has a row for each case and a column for each subject, which may come from different runs. Each cell shows
 * one answer. Answers are read only for the rows of one page, so runs of any size can be shown. Both the server and the
 * pages of a static site build the matrix with this module, each from its own columns.
 */
import type {
  MatrixCell,
  MatrixColumn,
  MatrixFilter,
  MatrixRow,
  ViewMatrix,
} from './workbench-data.ts'

export const MOST_COLUMNS = 8
const PAGE = 20
/**
 * The maximum number of cells whose answers are compared to find rows that differ. In a larger matrix, outcomes are
 * compared.
 */
const MOST_READ = 20_000

/** One column of the matrix: one subject of one run. */
export interface MatrixSource extends MatrixColumn {
  readonly title: string
  readonly folder: string
  readonly suites: readonly string[]
  readonly casesOf: (suite: string) => readonly string[]
  /** Returns the name of a case and whether its answers are code. Null if nothing is known about the case. */
  readonly caseAt: (suite: string, one: string) => { name: string; isCode: boolean } | null
  /** Returns the outcomes of the column's trials on a case, one letter per trial. Empty if there are none. */
  readonly outcomesOf: (suite: string, one: string) => string
  readonly trialAt: (suite: string, one: string, at: number) => Promise<MatrixCell['trial']>
  /** Returns a text that is equal for equal answers. */
  readonly answerKey: (suite: string, one: string, at: number) => Promise<string>
}

export interface MatrixRequest {
  readonly columns: readonly MatrixSource[]
  /** The suite that is shown. Null: the first suite of the first column. */
  readonly suite: string | null
  /** The case that is shown. Null: all cases. */
  readonly case: string | null
  readonly only: MatrixFilter
  /** The index of the trial that each cell shows. A cell with fewer trials shows its last trial. */
  readonly index: number
  readonly from: number
}

export async function makeMatrix(request: MatrixRequest): Promise<ViewMatrix> {
  const { columns, index, from } = request
  const suites = [...new Set(columns.flatMap((column) => column.suites))]
  const suite = suites.find((one) => one === request.suite) ?? suites[0] ?? ''
  const names = [...new Set(columns.flatMap((column) => column.casesOf(suite)))].filter(
    (one) => request.case === null || one === request.case,
  )
  const matching = await matchingCases(request, suite, names)
  const start = Math.min(from, Math.floor(Math.max(0, matching.length - 1) / PAGE) * PAGE)
  const rows: MatrixRow[] = []
  for (const one of matching.slice(start, start + PAGE))
    rows.push(await rowOf(columns, suite, one, index))
  return {
    suites,
    suite,
    columns: columns.map(({ run, subject, title, folder }) => ({ run, subject, title, folder })),
    rows,
    from: start,
    matching: matching.length,
    total: names.length,
    trials: names.reduce(
      (most, one) =>
        columns.reduce((sum, column) => Math.max(sum, column.outcomesOf(suite, one).length), most),
      0,
    ),
  }
}

async function matchingCases(
  { columns, only, index }: MatrixRequest,
  suite: string,
  names: readonly string[],
): Promise<readonly string[]> {
  if (only === 'all') return names
  const outcomes = (one: string): string[] => columns.map((column) => column.outcomesOf(suite, one))
  if (only === 'failed')
    return names.filter((one) => outcomes(one).some((letters) => /[fe]/.test(letters)))
  const isRead = names.length * columns.length <= MOST_READ
  const matching: string[] = []
  for (const one of names) {
    let isDifferent = new Set(outcomes(one)).size > 1
    if (!isDifferent && isRead) {
      const keys = new Set<string>()
      for (const column of columns) keys.add(await keyOf(column, suite, one, index))
      isDifferent = keys.size > 1
    }
    if (isDifferent) matching.push(one)
  }
  return matching
}

async function keyOf(
  column: MatrixSource,
  suite: string,
  one: string,
  index: number,
): Promise<string> {
  const { length } = column.outcomesOf(suite, one)
  return length === 0 ? '' : column.answerKey(suite, one, Math.min(index, length - 1))
}

async function rowOf(
  columns: readonly MatrixSource[],
  suite: string,
  one: string,
  index: number,
): Promise<MatrixRow> {
  const asked = columns.map((column) => column.caseAt(suite, one)).find((found) => found !== null)
  const cells: (MatrixCell | null)[] = []
  for (const column of columns) cells.push(await cellOf(column, suite, one, index))
  return { case: one, name: asked?.name ?? '', isCode: asked?.isCode ?? false, cells }
}

async function cellOf(
  column: MatrixSource,
  suite: string,
  one: string,
  index: number,
): Promise<MatrixCell | null> {
  const outcomes = column.outcomesOf(suite, one)
  if (outcomes === '') return null
  const at = Math.min(index, outcomes.length - 1)
  return { outcomes, index: at, trial: await column.trialAt(suite, one, at) }
}
