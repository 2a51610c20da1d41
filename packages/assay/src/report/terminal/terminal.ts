/** The report for a terminal: fits into 80 columns, and uses more if the terminal is wider. */
import type { Colors } from 'picocolors/types.js'
import { plain } from '@assay/contract'
import { caseTable, flakyLines, subjectTitles } from './case-table.ts'
import { count, counted, cut, displayWidth, wrap } from '../../text/index.ts'
import { notesOf } from '../figures/footnotes.ts'
import { reasonLines } from '../figures/reasons.ts'
import type { Report, SubjectReport } from '../schema/report.ts'
import { skillLines } from './skill-lines.ts'
import { disclosuresOf } from '../figures/disclosures.ts'
import { codeTable, subjectTable } from './subject-table.ts'
import { tierLines } from './tier-lines.ts'

export interface TerminalOptions {
  readonly width: number
  readonly colors: Colors
}

export function renderReport(report: Report, { width, colors }: TerminalOptions): string {
  const suites = [...new Set(report.subjects.map(({ suite }) => suite))]
  const lines: string[] = []
  for (const stamp of disclosuresOf(report))
    lines.push(...wrap(stamp, width).map(colors.yellow), '')
  for (const suite of suites) {
    const rows = report.subjects.filter((row) => row.suite === suite)
    lines.push(...suiteLines(suite, rows, report, width, colors), '')
  }
  lines.push(denominator(report, width), ...notes(report, width, colors))
  lines.push(...reasonLines(report.reasons, width))
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
    ...codeTable(rows, width, colors),
    ...caseLines(rows, titles, report, width, colors),
    ...tierLines(report, suite, width, colors),
  ]
}

/**
 * The table of cases. The stimuli of a skill are its cases, so with a single subject the table of stimuli
 * replaces it.
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
