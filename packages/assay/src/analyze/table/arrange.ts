/**
 * Converts rows to trials. A trial is identified by suite, case, subject and index. The rows of a case that have an
 * index are sorted by it. If two have the same index, only the later one counts. Rows without an index follow in the
 * order of the file. The indexes of a case may start at any number and have gaps, because only their order is used.
 * Suites, cases and subjects are sorted by name, so that shuffled rows give the same report.
 */
import { UsageError } from '@assay/contract'
import { count, natural } from '../../text/index.ts'
import { Plan, type PlanSubject, type PlanSuite } from '../../log/index.ts'
import type { ResultTable } from './result-table.ts'

export interface Arranged {
  readonly plan: Plan<PlacedSuite, PlacedSubject>
  /** The row of each trial, by the trial's position in the plan. */
  readonly rowAt: Uint32Array
  /** The number of rows that a later row of the same trial replaced. */
  readonly replaced: number
}

interface PlacedCase {
  readonly id: string
  readonly hash: string
  readonly trials: null
  readonly code?: true
  /** The group of the case, if a column names it. */
  readonly group?: string
  /** The position of the case among the cases of all suites. */
  readonly at: number
}
type PlacedSuite = PlanSuite & { readonly cases: readonly PlacedCase[] }
type PlacedSubject = PlanSubject & {
  readonly at: number
  readonly source: 'replay' | 'simulated'
}

/**
 * The maximum number of cells (one subject on one case each), which is the number of subjects times the number of
 * cases. Each cell becomes an entry in the report, even if the file has no row for it.
 */
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
      // Answers that were read from a file never count as live.
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

/** Returns the suites with their sorted cases. Also returns a function that maps a row to the position of its case. */
function placeCases(table: ResultTable): {
  suites: PlacedSuite[]
  caseAt: (row: number) => number
  cases: number
} {
  const places = table.suites.names.map(() => new Map<number, number>())
  const groups = new Map<Map<number, number>, Map<number, string>>()
  const codes = new Map<Map<number, number>, Set<number>>()
  const hasCode = table.has('compiled')
  for (let row = 0; row < table.rows; row++) {
    const place = places[table.suiteAt(row)] as Map<number, number>
    const one = table.caseAt(row)
    if (!place.has(one)) place.set(one, 0)
    const group = table.groupAt(row)
    if (group !== null) setGroup(groups, place, one, group, table)
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
          const group = groups.get(place)?.get(one)
          // The prompt of the case is unknown, so its hash is empty. An empty hash matches every other hash.
          return {
            id: nameOf(one),
            hash: '',
            trials: null,
            ...(isCode && { code: true }),
            ...(group !== undefined && { group }),
            at: cases++,
          }
        }),
      }
    })
  const caseAt = (row: number): number =>
    places[table.suiteAt(row)]?.get(table.caseAt(row)) as number
  return { suites, caseAt, cases }
}

/**
 * Stores the group of a case. Throws if the case is already in another group, because all intervals treat a group as
 * one unit.
 */
function setGroup<Place>(
  groups: Map<Place, Map<number, string>>,
  place: Place,
  one: number,
  group: string,
  table: ResultTable,
): void {
  const known = groups.get(place) ?? new Map<number, string>()
  groups.set(place, known)
  const before = known.get(one)
  if (before !== undefined && before !== group)
    throw new UsageError(
      `the case "${table.cases.names[one]}" is in two groups, "${before}" and "${group}"; --group names another column, or none`,
    )
  known.set(one, group)
}

/**
 * Sorts rows by cell (one subject on one case) and then by index. If rows of a cell have the same index, only the last
 * of them is kept. Also returns the number of trials of each cell.
 */
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

  // The rows of each cell are now next to each other, in the order of the file. The loop below moves the rows that are
  // kept to the front of the array.
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

/**
 * Compares two rows by index. Rows without an index come last. Rows with equal indexes stay in the order of the file.
 */
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
