/**
 * Selects the part of a run that `assay show` prints: all cases, one case, or one trial. A name can be shortened to a
 * prefix that no other name has. For a name that matches nothing, the error suggests the nearest name.
 */
import { type Case, type Trial, UsageError } from '@assay/contract'
import { counted, nearest } from '../../text/index.ts'
import type { ReportSource } from '../formats/format.ts'
import { cellKey } from '../schema/trial-position.ts'
import type { CaseReport, SubjectReport } from '../schema/report.ts'

export interface Wanted {
  readonly case?: string | undefined
  /** The trial's index, from 0. */
  readonly index?: number | undefined
  readonly subject?: string | undefined
  readonly suite?: string | undefined
}

/** One subject on one case, with its recorded trials sorted by index. */
export interface ShownCell {
  readonly suite: string
  readonly subject: string
  readonly report: CaseReport
  /** The case as it was when the run was started. Null if the run folder does not contain it. */
  readonly asked: Case | null
  readonly trials: readonly Trial[]
}

export type Shown =
  | { readonly kind: 'cases'; readonly cells: readonly ShownCell[]; readonly leftOut: number }
  | { readonly kind: 'case'; readonly cells: readonly ShownCell[] }
  | { readonly kind: 'trial'; readonly cell: ShownCell; readonly trial: Trial }

/** Returns the part of the run that the user asked for. `most` is the maximum number of rows in the list of cases. */
export async function select(source: ReportSource, wanted: Wanted, most: number): Promise<Shown> {
  const rows = narrow(source, wanted)
  if (wanted.case === undefined) {
    const worst = rows.toSorted(worstFirst)
    const cells = await withTrials(source, worst.slice(0, most))
    return { kind: 'cases', cells, leftOut: Math.max(0, worst.length - most) }
  }
  const chosen = ofOneCase(rows, wanted.case)
  if (wanted.index === undefined) return { kind: 'case', cells: await withTrials(source, chosen) }
  const [one, other] = chosen
  if (one === undefined) throw new UsageError(`no subject was asked "${wanted.case}"`)
  if (other !== undefined)
    throw new UsageError(
      `${chosen.length} subjects answered "${one.one.case}"; choose one with --subject: ${listed(chosen.map(({ row }) => row.subject))}`,
    )
  const { planned } = one.one.counts
  if (wanted.index >= planned)
    throw new UsageError(
      `"${one.one.case}" has ${counted(planned, 'trial')} of ${one.row.subject}, counted from 0; there is no ${wanted.index}`,
    )
  const [cell] = await withTrials(source, [one])
  const trial = cell?.trials.find(({ index }) => index === wanted.index)
  if (cell === undefined || trial === undefined)
    throw new UsageError(
      `trial ${wanted.index} of "${one.one.case}" was planned and did not run; assay run --resume RUN runs it`,
    )
  return { kind: 'trial', cell, trial }
}

interface Row {
  readonly row: SubjectReport
  readonly one: CaseReport
}

function narrow({ report }: ReportSource, wanted: Wanted): Row[] {
  let rows = report.subjects
  if (wanted.suite !== undefined) {
    const name = chosenName('suite', wanted.suite, new Set(rows.map(({ suite }) => suite)))
    rows = rows.filter(({ suite }) => suite === name)
  }
  if (wanted.subject !== undefined) {
    const name = chosenName('subject', wanted.subject, new Set(rows.map((row) => row.subject)))
    rows = rows.filter(({ subject }) => subject === name)
  }
  return rows.flatMap((row) => row.cases.map((one) => ({ row, one })))
}

function ofOneCase(rows: readonly Row[], wanted: string): Row[] {
  const name = chosenName('case', wanted, new Set(rows.map(({ one }) => one.case)))
  const chosen = rows.filter(({ one }) => one.case === name)
  const suites = new Set(chosen.map(({ row }) => row.suite))
  if (suites.size > 1)
    throw new UsageError(
      `${suites.size} suites have a case "${name}"; choose one with --suite: ${listed([...suites])}`,
    )
  return chosen
}

/** Returns the name that the user asked for, or the only name that starts with it. */
function chosenName(what: string, wanted: string, names: ReadonlySet<string>): string {
  if (names.has(wanted)) return wanted
  const starting = [...names].filter((name) => name.startsWith(wanted))
  const [only] = starting
  if (starting.length === 1 && only !== undefined) return only
  if (starting.length > 1)
    throw new UsageError(
      `"${wanted}" is the start of ${starting.length} ${what}s: ${listed(starting)}`,
    )
  const inside = [...names].filter((name) => name.includes(wanted))
  const meant = nearest(wanted, names) ?? (inside.length === 1 ? inside[0] : null)
  throw new UsageError(
    `no ${what} of this run is called "${wanted}"${
      meant === null || meant === undefined
        ? `; it has ${listed([...names])}`
        : `; did you mean "${meant}"?`
    }`,
  )
}

const MOST_LISTED = 8

const listed = (names: readonly string[]): string =>
  names.slice(0, MOST_LISTED).join(', ') +
  (names.length > MOST_LISTED ? ` and ${names.length - MOST_LISTED} more` : '')

/**
 * Returns the sort key of a row. The worst rows come first. A row without scored trials comes first if any trial
 * errored, and otherwise last.
 */
const rank = ({ one }: Row): number => (one.n > 0 ? one.c / one.n : one.counts.errored > 0 ? -1 : 2)

const worstFirst = (a: Row, b: Row): number => rank(a) - rank(b) || b.one.n - a.one.n

/** Reads the trials of these rows. */
async function withTrials(source: ReportSource, rows: readonly Row[]): Promise<ShownCell[]> {
  const held = new Map<string, Trial[]>()
  for (const { row, one } of rows)
    held.set(cellKey({ suite: row.suite, case: one.case, subject: row.subject }), [])
  const cells = new Set(held.keys())
  await source.trials((trial) => void held.get(cellKey(trial))?.push(trial), cells)
  return rows.map(({ row: { suite, subject }, one }) => ({
    suite,
    subject,
    report: one,
    asked: askedOf(source, suite, one.case),
    trials: (held.get(cellKey({ suite, case: one.case, subject })) ?? []).sort(
      (a, b) => a.index - b.index,
    ),
  }))
}

const askedOf = ({ suites }: ReportSource, suite: string, id: string): Case | null =>
  suites.find((one) => one.id === suite)?.cases.find((one) => one.id === id) ?? null
