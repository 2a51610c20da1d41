/** Prints the tables of figures by tag or metadata. */
import type { Colors } from 'picocolors/types.js'
import { plain } from '@assay/contract'
import { costPerPass, displayWidth, share, table, wrap, type Column } from '../../text/index.ts'
import type { Breakdown, Report } from '../schema/report.ts'

/** Returns a table of figures for each key of `--by`. Empty if the user did not use `--by`. */
export const breakdownLines = (
  { by = [], subjects }: Report,
  width: number,
  colors: Colors,
): string[] => {
  const several = {
    suites: new Set(subjects.map(({ suite }) => suite)).size > 1,
    subjects: new Set(subjects.map(({ subject }) => subject)).size > 1,
  }
  return by.flatMap((one) => [...oneTable(one, several, width, colors), ''])
}

interface Shown {
  readonly title: string
  readonly cells: readonly string[]
  readonly align?: 'left'
  /** Set if the column may be left out when the terminal is narrow. */
  readonly optional?: true
}

function oneTable(
  { key, rows, notes }: Breakdown,
  several: { readonly suites: boolean; readonly subjects: boolean },
  width: number,
  colors: Colors,
): string[] {
  const isKnown = (cells: readonly string[]): boolean => cells.some((cell) => cell !== NONE)
  const all: Shown[] = [
    { title: `by ${plain(key)}`, cells: rows.map((row) => plain(row.value)), align: 'left' },
    ...(several.suites
      ? [{ title: 'suite', cells: rows.map((row) => plain(row.suite)), align: 'left' } as const]
      : []),
    ...(several.subjects
      ? [{ title: 'subject', cells: rows.map((row) => plain(row.subject)), align: 'left' } as const]
      : []),
    { title: 'cases', cells: rows.map((row) => String(row.cases)) },
    ...(rows.some(({ passRate }) => (passRate.groups ?? 1) > 1)
      ? [{ title: 'groups', cells: rows.map((row) => String(row.passRate.groups ?? row.cases)) }]
      : []),
    { title: 'passed', cells: rows.map((row) => `${row.passed}/${row.scored}`) },
    { title: 'pass rate', cells: rows.map(rateOf) },
    {
      title: 'mean score',
      cells: rows.map((row) => row.meanScore.value?.toFixed(2) ?? NONE),
      optional: true,
    },
    { title: '$/pass', cells: rows.map((row) => costPerPass(row.costPerPass)), optional: true },
  ]
  const useful = all.filter(({ optional, cells }) => optional !== true || isKnown(cells))
  const shown = fitting(useful, width)
  const left = useful.filter((one) => !shown.includes(one)).map(({ title }) => title)
  const [head, ...body] = tableOf(shown, width)
  const said = [
    ...notes,
    ...(rows.some(({ passRate }) => passRate.interval !== undefined)
      ? ['In brackets: 95 % interval for cases like these, of this row alone.']
      : []),
    ...(rows.some(isFixedOnly)
      ? [
          `${FIXED} 95 % interval for exactly these cases, tried again: one case or group says nothing about others.`,
        ]
      : []),
    ...(left.length > 0
      ? [`Left out for want of room: ${left.join(', ')}. Markdown and report.json have it.`]
      : []),
  ]
  return [
    colors.dim(head ?? ''),
    ...body,
    ...said.flatMap((note) => wrap(plain(note), width)).map((line) => colors.dim(line)),
  ]
}

const NONE = '–'
/** The mark of an interval for exactly these cases, if the other intervals of the table are for cases like these. */
const FIXED = '*'

type Row = Breakdown['rows'][number]

const isFixedOnly = ({ passRate, fixed }: Row): boolean =>
  passRate.interval === undefined && fixed.passRate.interval !== undefined

const rateOf = (row: Row): string =>
  isFixedOnly(row) ? `${share(row.fixed.passRate)}${FIXED}` : share(row.passRate)

const tableOf = (columns: readonly Shown[], width: number): string[] =>
  table(
    columns.map(({ title, align }): Column => ({ title, align: align ?? 'right' })),
    (columns[0]?.cells ?? []).map((_, row) => columns.map(({ cells }) => cells[row] ?? '')),
    width,
  )

/** Leaves out optional columns one by one, the first one first, until the table fits into the width. */
function fitting(columns: readonly Shown[], width: number): readonly Shown[] {
  const isFitting = tableOf(columns, width).every((line) => displayWidth(line) <= width)
  const least = columns.find(({ optional }) => optional === true)
  if (isFitting || least === undefined) return columns
  return fitting(
    columns.filter((one) => one !== least),
    width,
  )
}
