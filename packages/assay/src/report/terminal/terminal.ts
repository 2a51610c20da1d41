/** Formats the report for a terminal. It fits into 80 columns and uses more if the terminal is wider. */
import type { Colors } from 'picocolors/types.js'
import { plain } from '@assay/contract'
import { breakdownLines } from './breakdown-lines.ts'
import { classificationLines } from './classification-lines.ts'
import { caseTable, flakyLines, subjectTitles } from './case-table.ts'
import { count, counted, cut, displayWidth, wrap } from '../../text/index.ts'
import { detailLines, DETAILS_HINT } from './detail-lines.ts'
import { gateLines } from './gate-lines.ts'
import { notesOf } from '../figures/footnotes.ts'
import { reasonLines } from '../figures/reasons.ts'
import type { Report, SubjectReport } from '../schema/report.ts'
import { skillLines } from './skill-lines.ts'
import { headlineOf } from '../headline/index.ts'
import { againstLines } from './against-lines.ts'
import { disclosuresOf } from '../figures/disclosures.ts'
import { codeTable, subjectTable } from './subject-table.ts'
import { tierLines } from './tier-lines.ts'

export interface TerminalOptions {
  readonly width: number
  readonly colors: Colors
  /** If true, also prints the figures that the summary leaves out. */
  readonly details?: boolean
}

export function renderReport(
  report: Report,
  { width, colors, details = false }: TerminalOptions,
): string {
  const suites = [...new Set(report.subjects.map(({ suite }) => suite))]
  const { sentence, suites: headlines } = headlineOf(report)
  const lines: string[] = [...wrap(sentence, width).map(colors.bold), '']
  for (const stamp of disclosuresOf(report))
    lines.push(...wrap(stamp, width).map(colors.yellow), '')
  for (const suite of suites) {
    const rows = report.subjects.filter((row) => row.suite === suite)
    const headline = headlines.find((one) => one.suite === suite)
    // If there is only one suite, the first line of the summary already is that suite's sentence.
    if (headline !== undefined && suites.length > 1)
      lines.push(...wrap(headline.sentence, width).map(colors.bold), '')
    lines.push(
      ...suiteLines(suite, rows, report, width, colors),
      ...(details ? detailLines(report, rows, width, colors) : []),
      '',
    )
  }
  lines.push(...classificationLines(report, width, colors))
  lines.push(...breakdownLines(report, width, colors))
  lines.push(denominator(report, width), ...notes(report, width, colors))
  if (!details && report.counts.passed + report.counts.failed > 0)
    lines.push(...wrap(DETAILS_HINT, width).map((line) => colors.dim(line)))
  lines.push(...reasonLines(report.reasons, width))
  lines.push(...gateLines(report, width, colors))
  return `${lines.join('\n')}\n`
}

function suiteLines(
  suite: string,
  rows: readonly SubjectReport[],
  report: Report,
  width: number,
  colors: Colors,
): string[] {
  const cases = rows[0]?.cases.length ?? 0
  const planned = rows.flatMap((row) => row.cases.map((one) => one.counts.planned))
  const least = planned.reduce((a, b) => Math.min(a, b), Infinity)
  const most = planned.reduce((a, b) => Math.max(a, b), 0)
  const head = `${plain(suite)} · ${counted(cases, 'case')} · ${counted(rows.length, 'subject')} · ${least === most ? '' : `${least} to `}${counted(most, 'trial')} each`
  const titles = subjectTitles(rows, width)
  return [
    colors.bold(cut(head, width)),
    '',
    ...subjectTable(rows, titles, report, width, colors),
    ...againstLines(report, suite, (subject) => titleOf(subject, rows, titles), width, colors),
    ...codeTable(rows, width, colors),
    ...caseLines(rows, titles, report, width, colors),
    ...tierLines(report, suite, width, colors),
  ]
}

/**
 * Returns the name of a subject. It includes the subject's number if subjects are numbered because their names do not
 * fit.
 */
function titleOf(
  subject: string,
  rows: readonly SubjectReport[],
  titles: readonly string[],
): string {
  const title = titles[rows.findIndex((row) => row.subject === subject)]
  return title?.startsWith('#') === true ? `${title} ${plain(subject)}` : plain(subject)
}

/**
 * Returns the table of cases. The stimuli of a skill are its cases, so with a single subject the table of stimuli
 * already shows them, and no table of cases is needed.
 */
function caseLines(
  rows: readonly SubjectReport[],
  titles: readonly string[],
  report: Report,
  width: number,
  colors: Colors,
): string[] {
  const skill = skillLines(report, rows, width, colors)
  if (skill.length > 0 && rows.length === 1) return skill
  return [
    '',
    ...caseTable(rows, titles, width, colors),
    ...flakyLines(rows, width, colors),
    ...skill,
  ]
}

function denominator({ counts }: Report, width: number): string {
  const { planned, passed, failed, unscored, errored, cancelled } = counts
  const line = `${count(planned)} planned = ${count(passed)} passed + ${count(failed)} failed + ${count(unscored)} unscored + ${count(errored)} errored + ${count(cancelled)} cancelled`
  return displayWidth(line) <= width ? line : line.replace(' + ', '\n  + ')
}

const notes = (report: Report, width: number, colors: Colors): string[] =>
  notesOf(report)
    .flatMap((note) => wrap(plain(note), width))
    .map((line) => colors.dim(line))
