/**
 * Turns rows into trials. A trial is identified by suite, case, subject and index. Rows with an index are
 * sorted by it, and if two have the same index, the later one counts. Rows without an index follow in the
 * order of the file. The indexes of a case may start anywhere and have gaps: only their order is kept.
 * Suites, cases and subjects are sorted by name, so that shuffled rows give the same report.
 */
import { UsageError } from '@assay/contract'
import { count, natural } from '../../text/index.ts'
import { Plan, type PlanSubject, type PlanSuite } from '../../log/index.ts'
import type { ResultTable } from './result-table.ts'

export interface Arranged {
  readonly plan: Plan<PlacedSuite, PlacedSubject>
  /** The row of each trial, by the trial's ordinal. */
  readonly rowAt: Uint32Array
  /** Number of rows that were replaced by a later one with the same identity. */
  readonly replaced: number
}

interface PlacedCase {
  readonly id: string
  readonly hash: string
  readonly trials: null
  readonly code?: true
  /** The case's number among all cases. */
  readonly at: number
}
type PlacedSuite = PlanSuite & { readonly cases: readonly PlacedCase[] }
type PlacedSubject = PlanSubject & {
  readonly at: number
  readonly source: 'replay' | 'simulated'
}

/** Limit for subjects times cases: each such cell is an entry in the report, even without rows. */
const MOST_CELLS = 3_000_000

export function arrange(table: ResultTable, names: readonly string[]): Arranged {
  const subjects = names
    .map((id, number) => ({ id, number }))
    .sort((a, b) => natural(a.id, b.id))
    .map(({ id, number }, at): PlacedSubject & { number: number } => ({
      id,
      number,
      at,
      pool: '',
      // Nothing that is read from a file counts as live.
      source: table.simulated.has(number) ? 'simulated' : 'replay',
    }))
  const subjectAt = new Uint32Array(names.length)
  for (const { number, at } of subjects) subjectAt[number] = at

  const { suites, caseAt, cases } = placeCases(table)
  if (cases * subjects.length > MOST_CELLS)
    throw new UsageError(
      `there are ${count(cases)} cases and ${count(subjects.length)} subjects, too many to compare; name the right columns with --case and --subject`,
    )
  const cellOf = (row: number): number =>
    caseAt(row) * subjects.length + (subjectAt[table.subjectAt(row)] as number)
  const { rowAt, trials, replaced } = groupRows(table, cellOf, cases * subjects.length)
  const plan = new Plan<PlacedSuite, PlacedSubject>(
    suites,
    subjects,
    (one, subject) => trials[one.at * subjects.length + subject.at] as number,
  )
  return { plan, rowAt, replaced }
}

/** Returns the suites with their cases in order, and a function from a row to the number of its case. */
function placeCases(table: ResultTable): {
  suites: PlacedSuite[]
  caseAt: (row: number) => number
  cases: number
} {
  const places = table.suites.names.map(() => new Map<number, number>())
  const codes = new Map<Map<number, number>, Set<number>>()
  const hasCode = table.has('compiled')
  for (let row = 0; row < table.rows; row++) {
    const place = places[table.suiteAt(row)] as Map<number, number>
    const one = table.caseAt(row)
    if (!place.has(one)) place.set(one, 0)
    if (!hasCode || Number.isNaN(table.numberAt('compiled', row))) continue
    const coded = codes.get(place) ?? new Set()
    codes.set(place, coded.add(one))
  }
  let cases = 0
  const suites = places
    .map((place, number) => ({ place, id: table.suites.names[number] as string }))
    .filter(({ place }) => place.size > 0)
    .sort((a, b) => natural(a.id, b.id))
    .map(({ id, place }): PlacedSuite => {
      const nameOf = (one: number): string => table.cases.names[one] as string
      const sorted = [...place.keys()].sort((a, b) => natural(nameOf(a), nameOf(b)))
      return {
        id,
        cases: sorted.map((one) => {
          place.set(one, cases)
          const isCode = codes.get(place)?.has(one) === true
          // The prompt is unknown. An empty hash matches any other hash.
          return {
            id: nameOf(one),
            hash: '',
            trials: null,
            ...(isCode && { code: true }),
            at: cases++,
          }
        }),
      }
    })
  const caseAt = (row: number): number =>
    places[table.suiteAt(row)]?.get(table.caseAt(row)) as number
  return { suites, caseAt, cases }
}

/** Sorts rows by cell and by index, with each identity once. Also returns the number of trials of each cell. */
function groupRows(
  table: ResultTable,
  cellOf: (row: number) => number,
  cells: number,
): { rowAt: Uint32Array; trials: Uint32Array; replaced: number } {
  const trials = new Uint32Array(cells)
  const cellAt = new Uint32Array(table.rows)
  for (let row = 0; row < table.rows; row++) {
    const cell = cellOf(row)
    cellAt[row] = cell
    trials[cell] = (trials[cell] as number) + 1
  }
  const next = new Uint32Array(cells)
  for (let cell = 1; cell < cells; cell++)
    next[cell] = (next[cell - 1] as number) + (trials[cell - 1] as number)
  const rows = new Uint32Array(table.rows)
  for (let row = 0; row < table.rows; row++) {
    const cell = cellAt[row] as number
    rows[next[cell] as number] = row
    next[cell] = (next[cell] as number) + 1
  }

  // The rows of each cell are now adjacent, in the order of the file. The loop below compacts them in place.
  let kept = 0
  let start = 0
  for (let cell = 0; cell < cells; cell++) {
    const end = start + (trials[cell] as number)
    const from = kept
    const ordered = rows.subarray(start, end)
    if (!isRising(table, ordered)) ordered.sort((a, b) => byIndex(table, a, b))
    for (let i = start; i < end; i++) {
      const row = rows[i] as number
      const isSame = kept > from && table.indexAt(rows[kept - 1] as number) === table.indexAt(row)
      if (isSame) kept--
      rows[kept++] = row
    }
    trials[cell] = kept - from
    start = end
  }
  return { rowAt: rows.subarray(0, kept), trials, replaced: table.rows - kept }
}

/** Sorts by index. Rows without one come last, and equal ones stay in the order of the file. */
function byIndex(table: ResultTable, a: number, b: number): number {
  const [x, y] = [table.indexAt(a), table.indexAt(b)]
  const order = (Number.isNaN(x) ? Infinity : x) - (Number.isNaN(y) ? Infinity : y)
  return order === 0 || Number.isNaN(order) ? a - b : order
}

function isRising(table: ResultTable, rows: Uint32Array): boolean {
  for (let i = 1; i < rows.length; i++)
    if (byIndex(table, rows[i - 1] as number, rows[i] as number) > 0) return false
  return true
}
