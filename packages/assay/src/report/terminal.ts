/** The report as a terminal shows it: fits 80 columns, uses more where there is more. */
import type { Colors } from 'picocolors/types.js'
import { plain } from '../plain.ts'
import { caseTable, flakyLines, subjectTitles } from './case-table.ts'
import { count, counted, dollars, percent } from './figures.ts'
import { reasonLines } from './reasons.ts'
import type { Report, SubjectReport } from './report.ts'
import { skillLines } from './skill-lines.ts'
import { stampsOf } from './stamps.ts'
import { codeTable, subjectTable } from './subject-table.ts'
import { cut, displayWidth, wrap } from './table.ts'
import { tierLines } from './tier-lines.ts'

export interface TerminalOptions {
  readonly width: number
  readonly colors: Colors
}

export function renderReport(report: Report, { width, colors }: TerminalOptions): string {
  const suites = [...new Set(report.subjects.map(({ suite }) => suite))]
  const lines: string[] = []
  for (const stamp of stampsOf(report)) lines.push(...wrap(stamp, width).map(colors.yellow), '')
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

/** The stimuli of a skill are its cases: of a single subject they are told once. */
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

/** A figure that does not rest on all scored cases says so. */
function leftOut({ subjects }: Report): string[] {
  const said = subjects.flatMap(({ subject, passRate, passAtK }) =>
    passAtK
      .filter(({ metric }) => metric.n < passRate.n)
      .map(({ k, metric }) => ({
        subject,
        text: `pass@${k}, pass^${k}: over ${metric.n} of ${counted(passRate.n, 'case')}, those with ${k} scored trials or more`,
      })),
  )
  // Once where it is the same of all.
  const byText = Map.groupBy(said, ({ text }) => text)
  const all = new Set(subjects.map(({ subject }) => subject)).size
  return [...byText].map(([text, of]) =>
    of.length >= all ? text : `${of.map(({ subject }) => plain(subject)).join(', ')}: ${text}`,
  )
}

/** How far the tests were from the code; said wherever code was tested. */
function integrityLine({ subjects, sandboxes }: Report): string[] {
  const total = (level: 'values' | 'inventory'): number =>
    subjects.reduce((sum, { code }) => sum + (code?.integrity[level] ?? 0), 0)
  const [values, inventory] = [total('values'), total('inventory')]
  if (values + inventory === 0) return []
  const said = [
    ...(values > 0 ? [`${counted(values, 'trial')} with the tests apart (values)`] : []),
    ...(inventory > 0 ? [`${counted(inventory, 'trial')} with them beside (inventory)`] : []),
  ]
  return [`code tested in ${sandboxes.join(', ')}: ${said.join(', ')}`]
}

/** What the errored trials could have changed. */
function sensitivityLines({ subjects }: Report): string[] {
  return subjects
    .filter(({ counts }) => counts.errored > 0 && counts.passed + counts.failed > 0)
    .map(
      ({ subject, counts, sensitivity: { erroredFail, erroredPass } }) =>
        `${plain(subject)}: with its ${counted(counts.errored, 'errored trial')} as failures the pass rate is ${percent(erroredFail ?? 0)}, as passes ${percent(erroredPass ?? 0)}`,
    )
}

const STOPPED: Readonly<Record<string, string>> = {
  budget: 'the budget was reached',
  interrupted: 'the run was interrupted',
  failed: 'the run was stopped by a failure',
}

/** What is planned and not there, and why. */
function notRun({ counts, provenance }: Report): string[] {
  if (counts.cancelled === 0) return []
  const why = STOPPED[provenance.stopped ?? ''] ?? 'the run is not complete'
  return [`${why}: ${counted(counts.cancelled, 'planned trial')} did not run`]
}

/** How much of what was spent is nobody's money: a judge may be live where subjects are simulated. */
function ofSimulated({ subjects, provenance, counts, spentUsd, cached }: Report): string {
  const { judges = [], regrades, log } = provenance
  const live = (provenance.subjects.length === 0 ? subjects : provenance.subjects).map(
    ({ source }) => source !== 'simulated',
  )
  // Grading again asks judges alone.
  const asked = [
    ...(regrades === undefined ? live : []),
    ...judges.map(({ kind }) => kind !== 'simulated'),
  ]
  if (!asked.includes(true)) return ' of simulated money'
  if (!asked.includes(false)) return ''
  // The report has costs of scored trials: what others, earlier or replaced ones cost is not told apart.
  const isTold =
    regrades === undefined &&
    judges.every(({ kind }) => kind !== 'simulated') &&
    counts.errored + counts.unscored + log.replaced + cached === 0 &&
    provenance.subjects.every(({ kind }) => kind !== 'replay')
  if (!isTold) return ', some of it simulated money'
  const part = subjects
    .filter(({ source }) => source === 'simulated')
    .reduce((sum, { cost }) => sum + (cost.totalUsd ?? 0), 0)
  if (part === 0) return ''
  return part > spentUsd - 1e-9
    ? ' of simulated money'
    : `, of which ${dollars(part)} is simulated money`
}

function notes(report: Report, width: number, colors: Colors): string[] {
  const lines: string[] = [...notRun(report), ...report.notes.map(plain)]
  if (report.spentUsd > 0) lines.push(`spent ${dollars(report.spentUsd)}${ofSimulated(report)}`)
  if (report.provenance.log.replaced > 0 && report.provenance.origin === null)
    lines.push(
      `${counted(report.provenance.log.replaced, 'recorded trial')} replaced by a later one`,
    )
  lines.push(...sensitivityLines(report), ...leftOut(report))
  lines.push(...integrityLine(report))
  const unknown = report.subjects.reduce((sum, { cost }) => sum + cost.unknown, 0)
  if (unknown > 0) lines.push(`no $/pass: the price of ${counted(unknown, 'answer')} is unknown`)
  return lines.flatMap((line) => wrap(line, width)).map((line) => colors.dim(line))
}
