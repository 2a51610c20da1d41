/**
 * Prints the figures that do not fit into the summary: costs and times, pass@k for every k, the basis of letter grades,
 * the statistics of the metrics-formulas specification, the figures across tiers, and single trials.
 */
import type { Colors } from 'picocolors/types.js'
import { plain } from '@assay/contract'
import { counted, cut, table, wrap, type Column } from '../../text/index.ts'
import type { Report, SubjectReport } from '../schema/report.ts'
import { gradeBasis, letterText } from '../words/grade-words.ts'
import { RUN_TITLES, runRow } from '../words/run-words.ts'
import { STATISTIC_TITLES, statisticsRows } from '../words/statistics-words.ts'
import {
  COST_TIME_TITLES,
  costTimeRow,
  K_NOTE,
  K_TITLES,
  kRows,
  TIME_NOTE,
} from '../words/subject-words.ts'

/** The maximum number of trials that are listed for each subject. */
const MOST_RUNS = 500

/**
 * The minimum width of the terminal for all columns of the table of single trials. A narrower terminal shows only the
 * columns in `NARROW`.
 */
const ALL_RUN_COLUMNS = 110
const NARROW: ReadonlySet<string> = new Set([
  'trial',
  'passed',
  'impl_rate',
  'composite',
  'cost of pass',
  'duration',
])

/** The summary shows this hint, so that the user knows that figures are left out. */
export const DETAILS_HINT =
  '--details shows total costs, times, every k, p^k, statistics and single trials.'

export function detailLines(
  report: Report,
  rows: readonly SubjectReport[],
  width: number,
  colors: Colors,
): string[] {
  const columns = (first: string, titles: readonly string[]): Column[] => [
    { title: first, align: 'left' },
    ...titles.map((title) => ({ title, align: 'right' }) as const),
  ]
  const titled = (lines: readonly string[]): string[] =>
    lines.map((line, i) => (i === 0 ? colors.dim(line) : line))
  const note = (text: string): string[] => wrap(text, width).map((line) => colors.dim(line))
  return [
    '',
    ...titled(
      table(
        columns('subject', COST_TIME_TITLES),
        rows.map((row) => [plain(row.subject), ...costTimeRow(row)]),
        width,
      ),
    ),
    ...note(TIME_NOTE),
    '',
    ...titled(
      table(
        columns('subject', K_TITLES),
        rows.flatMap((row) =>
          kRows(row, row.spec.passToTheK).map((cells) => [plain(row.subject), ...cells]),
        ),
        width,
      ),
    ),
    ...note(K_NOTE),
    // The letter grades of tiers are explained below the table of tiers, so they are left out here.
    ...rows.flatMap((row) => {
      if (isTier(report, row)) return []
      const basis = gradeBasis(
        { ...row, statistics: row.spec.statistics },
        report.provenance.scoring,
      )
      return basis === ''
        ? []
        : ['', ...wrap(`${plain(row.subject)}: grade ${letterText(row.grade)}, ${basis}`, width)]
    }),
    ...rows.flatMap((row) => {
      const { statistics } = row.spec
      if (statistics === null) return []
      return [
        '',
        colors.bold(cut(`statistics over all trials · ${plain(row.subject)}`, width)),
        ...titled(table(columns('metric', STATISTIC_TITLES), statisticsRows(statistics), width)),
      ]
    }),
    ...rows.flatMap((row) => runLines(row, width, colors, columns, titled)),
  ]
}

const isTier = ({ tiers }: Report, { suite, subject }: SubjectReport): boolean =>
  tiers.some((one) => one.suite === suite && one.order.slice(0, 8).includes(subject))

function runLines(
  { subject, cases }: SubjectReport,
  width: number,
  colors: Colors,
  columns: (first: string, titles: readonly string[]) => Column[],
  titled: (lines: readonly string[]) => string[],
): string[] {
  const all = cases.flatMap(({ case: one, runs }) => (runs ?? []).map((run) => ({ one, run })))
  if (all.length === 0) return []
  const shown = all.slice(0, MOST_RUNS)
  const more = all.length - shown.length
  const wide = width >= ALL_RUN_COLUMNS
  const pick = (cells: readonly string[]): string[] =>
    cells.filter((_, i) => wide || NARROW.has(RUN_TITLES[i] ?? ''))
  return [
    '',
    colors.bold(cut(`single trials · ${plain(subject)}`, width)),
    ...titled(
      table(
        columns('case', pick(RUN_TITLES)),
        shown.map(({ one, run }) => [plain(one), ...pick(runRow(run))]),
        width,
      ),
    ),
    ...(wide
      ? []
      : [
          colors.dim('Costs and the parts of the duration: from 110 columns on, and --format csv.'),
        ]),
    ...(more > 0
      ? [colors.dim(`and ${counted(more, 'further trial')}: --format csv has all of them`)]
      : []),
  ]
}
