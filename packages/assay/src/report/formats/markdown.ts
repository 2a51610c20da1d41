/**
 * Formats the report as a pull-request comment or a job summary. The first line has the result. Then come the subjects
 * with their intervals, and the cases worth looking at. Everything else is in sections that the reader can unfold.
 * GitHub accepts 65,536 characters. If the report is longer, the least informative parts are left out, and the comment
 * says so.
 */
import {
  counted,
  count,
  costPerPass,
  dollars,
  percent,
  seconds,
  share,
  code,
  htmlCode,
  markdownName,
  markdownTable,
  prose,
  type MarkdownColumn,
} from '../../text/index.ts'
import type { ReportFormat } from './format.ts'
import { foldedDetails } from './markdown/details.ts'
import { gatesSection } from './markdown/gates-section.ts'
import { skillsSection } from './markdown/skill-section.ts'
import { letterText } from '../words/grade-words.ts'
import { breakdownSection, scoreText } from './markdown/breakdown.ts'
import { classificationSection } from './markdown/classification-section.ts'
import { againstSection } from './markdown/against.ts'
import { tiersSection } from './markdown/tiers.ts'
import { headlineText } from '../headline/index.ts'
import { furtherNotes } from '../figures/footnotes.ts'
import type { CaseReport, Report, SubjectReport } from '../schema/report.ts'
import { disclosuresOf } from '../figures/disclosures.ts'

const MOST_CHARACTERS = 65_000
/**
 * The maximum number of characters before the folded tables. The folded tables and the last lines get the remaining
 * characters.
 */
const MOST_FIRST = 40_000
const MOST_SUBJECTS = 40
const WORST_SHOWN = 10
const FLAKY_SHOWN = 5
const REASONS_SHOWN = 8
const NOTES_SHOWN = 20

export const markdown: ReportFormat = {
  name: 'markdown',
  description: 'a comment for a pull request',
  write: async ({ report }, put) => put(renderMarkdown(report)),
}

export function renderMarkdown(report: Report): string {
  const sections = [
    headline(report),
    warnings(report),
    gatesSection(report),
    subjectsSection(report),
    againstSection(report),
    tiersSection(report),
    skillsSection(report),
    classificationSection(report),
    breakdownSection(report),
    worstSection(report),
    flakySection(report),
    reasonsSection(report),
    notesSection(report),
  ]
  const text: string[] = []
  let size = 0
  for (const section of sections.filter((lines) => lines.length > 0)) {
    const block = `${section.join('\n')}\n\n`
    // Only extremely long names make the text reach the limit. A section that does not fit is left out. The first
    // section always fits.
    if (size + block.length > MOST_FIRST) continue
    text.push(block)
    size += block.length
  }
  const last = footer(report)
  const suites = foldedSuites(report, MOST_CHARACTERS - size - last.length)
  const details = foldedDetails(report, MOST_CHARACTERS - size - last.length - suites.length)
  return `${text.join('')}${suites}${details}${last}`
}

// ── The result ───────────────────────────────────────────────────────────────────────────────────────

/** Returns the first line: the sentence with which every summary begins. */
function headline(report: Report): string[] {
  const suites = [...new Set(report.subjects.map(({ suite }) => suite))]
  const on = suites.length === 1 ? code(suites[0] ?? '', 60) : counted(suites.length, 'suite')
  return [
    `**${headlineText(report, markdownName)}**`,
    '',
    `Assay on ${on}: ${denominator(report.counts)}`,
    ...stopped(report),
  ]
}

const denominator = (counts: Report['counts']): string =>
  `${count(counts.planned)} planned = ${count(counts.passed)} passed + ${count(counts.failed)} failed + ${count(counts.unscored)} unscored + ${count(counts.errored)} errored + ${count(counts.cancelled)} cancelled`

/** Returns a warning if the run is not complete. It is printed before all figures. */
function stopped({ provenance, counts }: Report): string[] {
  const lacks = `${counted(counts.cancelled, 'planned trial')} did not run`
  if (provenance.stopped === 'budget') return ['', `**Stopped by the budget: ${lacks}.**`]
  if (provenance.stopped === 'interrupted') return ['', `**Interrupted: ${lacks}.**`]
  if (provenance.stopped === 'failed') return ['', `**The run failed: ${lacks}.**`]
  if (provenance.stopped === 'partial')
    return ['', '**Partial: a provider was given up and its trials are errored.**']
  return counts.cancelled > 0 && provenance.stopped !== 'complete'
    ? ['', `**Incomplete: ${lacks}.**`]
    : []
}

/** Returns the warnings that are printed above all figures, for instance that answers are not live. */
function warnings(report: Report): string[] {
  return disclosuresOf(report).flatMap((line, i) => [
    ...(i === 0 ? [] : ['>']),
    `> **${code(line, 400)}**`,
  ])
}

// ── Subjects ─────────────────────────────────────────────────────────────────────────────────────────

function subjectsSection(report: Report): string[] {
  const ks = report.passK.filter((k) => k > 1)
  const several = new Set(report.subjects.map(({ suite }) => suite)).size > 1
  const shown = report.subjects.slice(0, MOST_SUBJECTS)
  if (shown.length === 0) return []
  const isCode = shown.some((row) => row.code !== null)
  const graded = shown.some((row) => row.grade !== null)
  const columns: MarkdownColumn[] = [
    ...(several ? [{ title: 'suite' }] : []),
    { title: 'subject' },
    { title: 'passed', right: true },
    { title: 'pass rate', right: true },
    { title: 'exactly these cases', right: true },
    ...ks.flatMap((k) => [
      { title: `pass@${k}`, right: true },
      { title: `pass^${k}`, right: true },
    ]),
    { title: 'mean score', right: true },
    ...(isCode ? [{ title: 'compiles', right: true }] : []),
    ...(graded ? [{ title: 'grade (median composite)', right: true }] : []),
    { title: '$/pass', right: true },
    { title: 'total cost', right: true },
    { title: 'answer', right: true },
  ]
  const rows = shown.map((row) => [
    ...(several ? [code(row.suite, 60)] : []),
    code(row.subject, 100),
    `${row.counts.passed}/${row.counts.passed + row.counts.failed}`,
    share(row.passRate),
    rangeOf(row.fixed.passRate),
    ...ks.flatMap((k) => [atK(row.passAtK, k), atK(row.passHatK, k)]),
    scoreText(row.meanScore),
    ...(isCode ? [row.code === null ? '–' : share(row.code.compilationRate)] : []),
    ...(graded ? [gradeCell(row)] : []),
    costPerPass(row.cost.perPass),
    row.cost.totalUsd === null ? '–' : dollars(row.cost.totalUsd),
    row.latency.meanMs === null ? '–' : seconds(row.latency.meanMs),
  ])
  const more = report.subjects.length - shown.length
  return [
    ...markdownTable(columns, rows),
    ...(shown.some(({ passRate }) => passRate.interval !== undefined)
      ? [
          '',
          `<sub>In brackets: 95 % interval for cases like these. The one for exactly these cases, tried again, is next to the pass rate. ${
            shown.some(isNarrower)
              ? 'It is narrower, as it leaves out how cases differ.'
              : 'Both are the same here.'
          }</sub>`,
        ]
      : []),
    ...(more > 0 ? ['', `and ${counted(more, 'further row')}`] : []),
  ]
}

/** Formats the letter grade with its meaning and with the median composite that it grades. */
function gradeCell({ grade, spec }: SubjectReport): string {
  const composite = spec.statistics?.composite?.median ?? null
  return `${prose(letterText(grade))}${composite === null ? '' : ` (median composite ${composite.toFixed(3)})`}`
}

const atK = (list: SubjectReport['passAtK'], k: number): string => {
  const found = list.find((one) => one.k === k)
  return found === undefined ? '–' : share(found.metric)
}

/** Whether the interval for exactly these cases is visibly narrower than the interval for cases like these. */
const isNarrower = ({ passRate, fixed }: SubjectReport): boolean =>
  rangeOf(passRate) !== rangeOf(fixed.passRate)

/** Formats an interval in percent: `73–94`. */
function rangeOf({ interval }: SubjectReport['passRate']): string {
  if (interval === undefined) return '–'
  return `${Math.round(interval.low * 100)}–${Math.round((interval.high ?? 1) * 100)}`
}

// ── Cases ────────────────────────────────────────────────────────────────────────────────────────────

interface Row {
  readonly row: SubjectReport
  readonly one: CaseReport
}

const rowsOf = ({ subjects }: Report): Row[] =>
  subjects.flatMap((row) => row.cases.map((one) => ({ row, one })))

const rate = ({ n, c }: CaseReport): number => (n === 0 ? 2 : c / n)

function worstSection(report: Report): string[] {
  const bad = rowsOf(report)
    .filter(({ one }) => one.n > one.c || one.counts.errored > 0)
    .toSorted((a, b) => rate(a.one) - rate(b.one) || b.one.n - a.one.n)
  if (bad.length === 0) return []
  const shown = bad.slice(0, WORST_SHOWN)
  return [
    bad.length > shown.length
      ? `### Worst ${shown.length} of ${bad.length} that did not always pass`
      : '### Did not always pass',
    '',
    ...markdownTable(
      [{ title: 'case' }, { title: 'subject' }, { title: 'passed', right: true }, { title: 'why' }],
      shown.map(({ row, one }) => [
        code(one.case, 80),
        code(row.subject, 80),
        passedOf(one),
        why(one),
      ]),
    ),
  ]
}

const passedOf = ({ n, c, counts }: CaseReport): string => {
  if (n === 0) return counts.unscored > 0 ? 'unscored' : '–'
  return `${c}/${n}`
}

/**
 * Returns the reasons why trials of a case did not pass. Reason codes come from a fixed list, but a report may be
 * untrusted, so they are escaped too.
 */
const why = ({ reasons }: CaseReport): string =>
  reasons
    .slice(0, 3)
    .map((reason) => `${code(reason.code, 40)} ×${reason.count}`)
    .join(', ')

function flakySection(report: Report): string[] {
  const flaky = rowsOf(report)
    .filter(({ one }) => one.flaky)
    .toSorted((a, b) => (b.one.flakinessPercent ?? 0) - (a.one.flakinessPercent ?? 0))
  if (flaky.length === 0) return []
  const shown = flaky.slice(0, FLAKY_SHOWN)
  return [
    `### Flakiest ${shown.length} of ${counted(flaky.length, 'flaky case')}`,
    '',
    ...shown.map(
      ({ row, one }) =>
        `- ${code(one.case, 80)} of ${code(row.subject, 80)}: ${passedOf(one)} passed, ${Math.round(one.flakinessPercent ?? 0)}% flaky`,
    ),
  ]
}

function reasonsSection({ reasons }: Report): string[] {
  if (reasons.length === 0) return []
  const more = reasons.length - REASONS_SHOWN
  return [
    '### Why, beyond wrong answers',
    '',
    ...reasons
      .slice(0, REASONS_SHOWN)
      .map(
        (one) =>
          `- ${counted(one.count, 'trial')} of ${code(one.subject, 80)} ${one.outcome} (${code(one.code, 40)}), such as: ${code(one.example, 300)}`,
      ),
    ...(more > 0 ? [`- and ${counted(more, 'further reason')}`] : []),
  ]
}

/** Returns the notes, except those about trials that did not run. The headline already has these. */
const notesSection = (report: Report): string[] =>
  furtherNotes(report)
    .slice(0, NOTES_SHOWN)
    .map((note) => `- ${code(note, 300)}`)

// ── Folded tables ────────────────────────────────────────────────────────────────────────────────────

/** Returns folded tables with the cases of every suite, in at most `room` characters. */
function foldedSuites({ subjects }: Report, room: number): string {
  let text = ''
  for (const [suite, rows] of Map.groupBy(subjects, (row) => row.suite)) {
    const folded = foldedSuite(suite, rows, room - text.length)
    if (folded === null) return text
    text += folded
  }
  return text
}

function foldedSuite(suite: string, rows: readonly SubjectReport[], room: number): string | null {
  // Rows are grouped by case, so that the subjects of a case are in consecutive rows.
  const byCase = Map.groupBy(
    rows.flatMap((row) => row.cases.map((one) => ({ row, one }))),
    ({ one }) => one.case,
  )
  const all = [...byCase.values()].flat()
  const head = `<details><summary>${htmlCode(suite, 60)}: ${counted(byCase.size, 'case')} by ${counted(rows.length, 'subject')}</summary>\n\n`
  const [title = '', rule = '', ...lines] = markdownTable(
    [
      { title: 'case' },
      { title: 'subject' },
      { title: 'passed', right: true },
      { title: 'pass rate', right: true },
      { title: 'score', right: true },
      { title: 'errored', right: true },
      { title: 'answer', right: true },
      { title: 'cost', right: true },
    ],
    all.map(({ row, one }) => [
      `${one.flaky ? '~ ' : ''}${code(one.case, 80)}`,
      code(row.subject, 60),
      passedOf(one),
      one.passRate.value === null ? '–' : percent(one.passRate.value),
      one.meanScore?.toFixed(2) ?? '–',
      String(one.counts.errored),
      one.meanAnswerMs === null ? '–' : seconds(one.meanAnswerMs),
      one.meanCostUsd === null ? '–' : dollars(one.meanCostUsd),
    ]),
  )
  const tail = '\n</details>\n\n'
  const note = (left: number): string =>
    left === 0 ? '' : `\n… and ${counted(left, 'row')} for which a comment has no room\n`
  let left = room - head.length - title.length - rule.length - tail.length - note(all.length).length
  const kept: string[] = []
  for (const line of lines) {
    left -= line.length + 1
    if (left < 0) break
    kept.push(line)
  }
  if (kept.length === 0) return null
  return `${head}${[title, rule, ...kept].join('\n')}\n${note(lines.length - kept.length)}${tail}`
}

function footer({ run, provenance }: Report): string {
  const { tool, seed, toolchains } = provenance
  const parts = [
    `run ${code(run.id, 60)}`,
    ...(tool === null ? [] : [`assay ${code(tool.version, 20)}`]),
    ...(seed === null ? [] : [`seed ${seed}`]),
    ...Object.entries(toolchains)
      .slice(0, 8)
      .map(([name, version]) => code(`${name} ${version}`, 40)),
  ]
  // Results of other programs have no run folder, so `assay show` cannot show them.
  const hint = provenance.origin === null ? [`why did one fail: ${code('assay show', 20)}`] : []
  return `<sub>${[...parts, ...hint].join(' · ')}</sub>\n`
}
