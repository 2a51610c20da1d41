/** Prints how the best subject of a suite compares with the other subjects. */
import type { Colors } from 'picocolors/types.js'
import { displayWidth, table, wrap, type Column } from '../../text/index.ts'
import {
  AGAINST_TITLES,
  againstAs,
  againstNotes,
  againstRows,
  againstTitle,
  headlineOf,
  type AgainstRow,
} from '../headline/index.ts'
import type { Report } from '../schema/report.ts'

type Key = Exclude<keyof AgainstRow, 'subject'>

/** The columns that are left out if the terminal is too narrow, in this order. */
const OPTIONAL: readonly Key[] = ['fixed', 'population']

/** The minimum width for the names of subjects, in characters. */
const NAME_WIDTH = 12

/**
 * Returns a table that compares the best subject with each other subject. Empty if fewer than two subjects of the suite
 * have scored trials.
 */
export function againstLines(
  report: Report,
  suite: string,
  titleOfSubject: (subject: string) => string,
  width: number,
  colors: Colors,
): string[] {
  const headline = headlineOf(report).suites.find((one) => one.suite === suite)
  if (headline === undefined || headline.best === null || headline.against.length === 0) return []
  const rows = againstRows(headline)
  const pairs = headline.against.find(({ together }) => together !== null)?.together?.comparisons
  const keys: Key[] = [
    'difference',
    'fixed',
    'population',
    'p',
    ...(pairs === undefined || pairs === 1 ? [] : (['together'] as const)),
  ]
  const titleOf = (key: Key): string =>
    key === 'together' ? againstTitle(pairs ?? 1) : AGAINST_TITLES[key]
  const widthOf = (shown: readonly Key[]): number =>
    shown.reduce(
      (sum, key) =>
        sum +
        2 +
        Math.max(displayWidth(titleOf(key)), ...rows.map((row) => displayWidth(row[key]))),
      NAME_WIDTH,
    )
  let shown = keys
  for (const key of OPTIONAL) if (widthOf(shown) > width) shown = shown.filter((one) => one !== key)
  const columns: Column[] = [
    { title: `over ${titleOfSubject(headline.best)}`, align: 'left' },
    ...shown.map((key) => ({ title: titleOf(key), align: 'right' }) as const),
  ]
  const [head, ...body] = table(
    columns,
    rows.map((row) => [titleOfSubject(row.subject), ...shown.map((key) => row[key])]),
    width,
  )
  const said = [
    `Points of pass rate, ${againstAs(headline)}, with 95 % intervals`,
    ...(shown.includes('population') ? [againstNotes(headline)] : []),
    ...(shown.length < keys.length
      ? ['the other intervals do not fit here: --report report.html']
      : []),
  ]
  return [
    '',
    colors.dim(head ?? ''),
    ...body,
    ...wrap(`${said.join('; ')}.`, width).map((line) => colors.dim(line)),
  ]
}
