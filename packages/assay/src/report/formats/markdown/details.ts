/**
 * The folded details of a pull-request comment: costs, times and pass@k for every k; the statistics of the
 * metrics-formulas specification; and single trials. Each part takes at most the characters that are left.
 */
import { code, counted, htmlCode, markdownTable, prose } from '../../../text/index.ts'
import type { Report, SubjectReport } from '../../schema/report.ts'
import { gradeBasis, letterText } from '../../words/grade-words.ts'
import { RUN_TITLES, runRow } from '../../words/run-words.ts'
import { STATISTIC_TITLES, statisticsRows } from '../../words/statistics-words.ts'
import {
  COST_TIME_TITLES,
  costTimeRow,
  K_NOTE,
  K_TITLES,
  kRows,
  TIME_NOTE,
} from '../../words/subject-words.ts'

/**
 * Returns the folded parts in at most `room` characters. If a part does not fit, it is left out, and a line says so.
 */
export function foldedDetails(report: Report, room: number): string {
  const parts: readonly (readonly [string, (room: number) => string | null])[] = [
    ['costs, times and every k', () => folded('Costs, times and every k', figureLines(report))],
    ['statistics', () => folded('Statistics over all trials', statisticLines(report))],
    ['single trials', (left) => runsPart(report, left)],
  ]
  const missing: string[] = []
  let text = ''
  for (const [name, part] of parts) {
    const one = part(room - text.length - RESERVED)
    if (one !== null && text.length + one.length + RESERVED <= room) text += one
    else missing.push(name)
  }
  return missing.length === 0
    ? text
    : `${text}<sub>No room for ${missing.join(', ')}: see report.json.</sub>\n\n`
}

/** The number of characters kept free for the line about parts that are left out. */
const RESERVED = 160

const folded = (title: string, lines: readonly string[]): string =>
  lines.length === 0
    ? ''
    : `<details><summary>${title}</summary>\n\n${lines.join('\n')}\n\n</details>\n\n`

const named = ({ subjects }: Report): ((row: SubjectReport) => string) => {
  const several = new Set(subjects.map(({ suite }) => suite)).size > 1
  return ({ suite, subject }) =>
    several ? `${code(subject, 80)} on ${code(suite, 60)}` : code(subject, 100)
}

const right = (titles: readonly string[]) => titles.map((title) => ({ title, right: true }))

function figureLines(report: Report): string[] {
  const { subjects, provenance } = report
  const name = named(report)
  const grades = subjects.flatMap((row) => {
    const basis = gradeBasis({ ...row, statistics: row.spec.statistics }, provenance.scoring)
    return basis === ''
      ? []
      : [`- ${name(row)}: grade ${prose(letterText(row.grade))}, ${prose(basis)}`]
  })
  return [
    ...markdownTable(
      [{ title: 'subject' }, ...right(COST_TIME_TITLES)],
      subjects.map((row) => [name(row), ...costTimeRow(row).map(prose)]),
    ),
    '',
    `<sub>${TIME_NOTE}</sub>`,
    '',
    ...markdownTable(
      [{ title: 'subject' }, ...right(K_TITLES.map((title) => prose(title)))],
      subjects.flatMap((row) =>
        kRows(row, row.spec.passToTheK).map((cells) => [name(row), ...cells.map(prose)]),
      ),
    ),
    '',
    `<sub>${prose(K_NOTE)}</sub>`,
    ...(grades.length === 0 ? [] : ['', ...grades]),
  ]
}

function statisticLines(report: Report): string[] {
  const name = named(report)
  const rows = report.subjects.flatMap((row) =>
    row.spec.statistics === null
      ? []
      : statisticsRows(row.spec.statistics).map(([metric = '', ...cells]) => [
          name(row),
          code(metric),
          ...cells.map(prose),
        ]),
  )
  return rows.length === 0
    ? []
    : markdownTable([{ title: 'subject' }, { title: 'metric' }, ...right(STATISTIC_TITLES)], rows)
}

/** Returns the table of single trials. Null if not even one trial fits. */
function runsPart(report: Report, room: number): string | null {
  const name = named(report)
  const all = report.subjects.flatMap((row) =>
    row.cases.flatMap(({ case: one, runs }) => (runs ?? []).map((run) => ({ row, one, run }))),
  )
  if (all.length === 0) return ''
  const [title = '', rule = '', ...lines] = markdownTable(
    [{ title: 'case' }, { title: 'subject' }, ...right(RUN_TITLES)],
    all
      .slice(0, MOST_RUNS)
      .map(({ row, one, run }) => [code(one, 60), name(row), ...runRow(run).map(prose)]),
  )
  const head = `<details><summary>${htmlCode('single trials', 40)}: ${counted(all.length, 'scored trial')}</summary>\n\n${title}\n${rule}\n`
  const tail = '\n</details>\n\n'
  const kept: string[] = []
  let left = room - head.length - tail.length - MORE
  for (const line of lines) {
    left -= line.length + 1
    if (left < 0) break
    kept.push(line)
  }
  if (kept.length === 0) return null
  const more = all.length - kept.length
  const note = more > 0 ? `\n… and ${counted(more, 'trial')} for which a comment has no room\n` : ''
  return `${head}${kept.join('\n')}\n${note}${tail}`
}

const MOST_RUNS = 200
/** The number of characters kept free for the line about trials that are left out. */
const MORE = 80
