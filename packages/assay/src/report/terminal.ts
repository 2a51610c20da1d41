/** The summary as a terminal shows it: fits 80 columns, uses more where there is more. */
import type { Colors } from 'picocolors/types.js'
import { plain } from '../plain.ts'
import { costPerPass, counted, count, dollars, percent, seconds, share } from './figures.ts'
import { reasonLines, type Remarks } from './remarks.ts'
import type { CaseSummary, SubjectSummary, Summary } from './summary.ts'
import { cut, displayWidth, GAP, table, wrap } from './table.ts'

export interface TerminalOptions {
  readonly width: number
  readonly colors: Colors
}

/** More cases than this are not listed one by one; the worst are. */
const CASES_SHOWN = 20
const WORST_SHOWN = 10
const FLAKY_SHOWN = 5
/** What the table by case leaves to the cases' names. */
const CASE_COLUMN = 24

/** A column's title below this says too little. */
const NARROWEST_TITLE = 12
/** What a line about flaky cases leaves to the subject's name. */
const SUBJECT_COLUMN = 32

export function renderSummary(
  summary: Summary,
  remarks: Remarks,
  { width, colors }: TerminalOptions,
): string {
  const suites = [...new Set(summary.subjects.map(({ suite }) => suite))]
  const lines: string[] = []
  if (remarks.cached > 0)
    lines.push(
      colors.yellow(`CACHED: ${counted(remarks.cached, 'answer')} kept from an earlier run`),
      '',
    )
  if (summary.sandboxes.includes('none'))
    lines.push(colors.yellow('NO SANDBOX: code ran with --sandbox none, as you and unlimited'), '')
  if (summary.sandboxes.includes('process'))
    lines.push(
      colors.yellow('NO SANDBOX HERE: the code of Assay’s own suites ran as plain processes'),
      '',
    )
  for (const suite of suites) {
    const rows = summary.subjects.filter((row) => row.suite === suite)
    lines.push(...suiteLines(suite, rows, summary, width, colors), '')
  }
  lines.push(denominator(summary, width), ...notes(summary, width, colors))
  lines.push(...reasonLines(remarks, width))
  return `${lines.join('\n')}\n`
}

function suiteLines(
  suite: string,
  rows: readonly SubjectSummary[],
  summary: Summary,
  width: number,
  colors: Colors,
): string[] {
  const cases = rows[0]?.cases.length ?? 0
  const planned = rows.flatMap((row) => row.cases.map((one) => one.counts.planned))
  const [least, most] = [Math.min(...planned), Math.max(...planned)]
  const head = `${plain(suite)} · ${counted(cases, 'case')} · ${counted(rows.length, 'subject')} · ${least === most ? '' : `${least} to `}${counted(most, 'trial')} each`
  const titles = subjectTitles(rows, width)
  return [
    colors.bold(cut(head, width)),
    ...sourceLine(rows, colors),
    '',
    ...subjectTable(rows, titles, summary, width, colors),
    ...codeTable(rows, width, colors),
    '',
    ...caseTable(rows, titles, width, colors),
    ...flakyLines(rows, width, colors),
  ]
}

/** Nothing simulated, replayed or cached may be taken for a live model. */
function sourceLine(rows: readonly SubjectSummary[], colors: Colors): string[] {
  const sources = new Set(rows.map(({ source }) => source))
  const said: string[] = []
  if (sources.has('simulated'))
    said.push('SIMULATED: these answers come from the suite itself, not from a model')
  if (sources.has('replay')) said.push('REPLAYED: these answers were recorded earlier')
  return said.map((line) => colors.yellow(line))
}

function subjectTable(
  rows: readonly SubjectSummary[],
  titles: readonly string[],
  summary: Summary,
  width: number,
  colors: Colors,
): string[] {
  const ks = summary.passK.filter((k) => k > 1)
  const wide = ks.length * 2 * 14 + 60 <= width ? ks : ks.slice(-1)
  const columns = [
    { title: 'subject', align: 'left' },
    { title: 'passed', align: 'right' },
    { title: 'pass rate', align: 'right' },
    ...wide.flatMap((k) => [
      { title: `pass@${k}`, align: 'right' } as const,
      { title: `pass^${k}`, align: 'right' } as const,
    ]),
    { title: '$/pass', align: 'right' },
  ] as const
  const cells = rows.map((row, i) => [
    titles[i]?.startsWith('#') === true ? `${titles[i]} ${plain(row.subject)}` : plain(row.subject),
    `${row.counts.passed}/${row.counts.passed + row.counts.failed}`,
    share(row.passRate),
    ...wide.flatMap((k) => [
      share(row.passAtK.find((one) => one.k === k)?.metric ?? row.passRate),
      share(row.passHatK.find((one) => one.k === k)?.metric ?? row.passRate),
    ]),
    costPerPass(row.cost.perPass),
  ])
  const [head, ...body] = table(columns, cells, width)
  return [
    colors.dim(head ?? ''),
    ...body,
    ...(rows.some(({ passRate }) => passRate.interval !== undefined)
      ? [colors.dim('In brackets: 95 % interval for cases like these.')]
      : []),
    ...cutNames(rows, titles, body, width, colors),
    ...(wide.length < ks.length
      ? [colors.dim(`Only the largest k fits here; assay report --json has all.`)]
      : []),
  ]
}

/** The parts of the score of code, where there is any. */
function codeTable(rows: readonly SubjectSummary[], width: number, colors: Colors): string[] {
  const coded = rows.filter((row) => row.code !== null)
  if (coded.length === 0) return []
  const [head, ...body] = table(
    [
      { title: 'code', align: 'left' },
      { title: 'score', align: 'right' },
      { title: 'compiles', align: 'right' },
      { title: 'tests pass', align: 'right' },
      { title: 'lint', align: 'right' },
      { title: 'answer', align: 'right' },
      { title: 'grading', align: 'right' },
    ],
    coded.map(({ subject, code, meanScore, latency }) => [
      plain(subject),
      fixed(meanScore.value),
      percentOf(code?.compilationRate.value),
      percentOf(code?.testPassRate.value),
      fixed(code?.lintScore.value),
      timeOf(latency.meanMs),
      timeOf(code?.meanGradeMs),
    ]),
    width,
  )
  return ['', colors.dim(head ?? ''), ...body]
}

const fixed = (value: number | null | undefined): string => value?.toFixed(2) ?? '–'

const timeOf = (ms: number | null | undefined): string =>
  ms === null || ms === undefined ? '–' : seconds(ms)

const percentOf = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : percent(value)

/** The names behind the numbers, where the table had to cut them. */
function cutNames(
  rows: readonly SubjectSummary[],
  titles: readonly string[],
  body: readonly string[],
  width: number,
  colors: Colors,
): string[] {
  return rows.flatMap(({ subject }, i) => {
    const title = titles[i] ?? ''
    const isShown = !title.startsWith('#') || body[i]?.includes(plain(subject)) === true
    return isShown ? [] : [colors.dim(cut(`${title} ${plain(subject)}`, width))]
  })
}

/**
 * How the table by case calls the subjects: by name, cut to what room there is, or by number where names
 * would not fit or no longer differ. The table by subject then shows the numbers beside the names.
 */
function subjectTitles(rows: readonly SubjectSummary[], width: number): readonly string[] {
  const room = Math.floor((width - CASE_COLUMN) / rows.length) - GAP
  const titles = rows.map(({ subject }) => cut(plain(subject), Math.max(1, room)))
  const tells = room >= NARROWEST_TITLE && new Set(titles).size === titles.length
  return tells ? titles : rows.map((_, i) => `#${i + 1}`)
}

function caseTable(
  rows: readonly SubjectSummary[],
  titles: readonly string[],
  width: number,
  colors: Colors,
): string[] {
  const [first] = rows
  if (first === undefined) return []
  const all = first.cases.map((_, i) => rows.map((row) => row.cases[i] as CaseSummary))
  const few = all.length <= CASES_SHOWN
  const shown = few ? all : all.toSorted((a, b) => rate(a) - rate(b)).slice(0, WORST_SHOWN)
  const heading = few ? 'case' : `worst ${shown.length} of ${all.length} cases`
  const cells = shown.map((one) => one.map(caseCell))
  const widest = Math.max(...[...titles, ...cells.flat()].map(displayWidth))
  const atOnce = Math.max(1, Math.floor((width - CASE_COLUMN) / (widest + GAP)))
  const lines: string[] = []
  // Subjects that do not fit beside the others come below them.
  for (let from = 0; from < rows.length; from += atOnce) {
    const columns = titles
      .slice(from, from + atOnce)
      .map((title) => ({ title, align: 'right' }) as const)
    const [head, ...body] = table(
      [{ title: heading, align: 'left' }, ...columns],
      shown.map((one, i) =>
        [plain(one[0]?.case ?? '')].concat((cells[i] ?? []).slice(from, from + atOnce)),
      ),
      width,
    )
    if (from > 0) lines.push('')
    lines.push(colors.dim(head ?? ''), ...body)
  }
  return lines
}

/** Over all subjects; above any rate where nothing was scored. */
function rate(cells: readonly CaseSummary[]): number {
  const n = cells.reduce((sum, cell) => sum + cell.n, 0)
  return n === 0 ? 2 : cells.reduce((sum, cell) => sum + cell.c, 0) / n
}

function caseCell({ n, c, flaky, counts }: CaseSummary): string {
  if (n === 0) return counts.unscored > 0 ? 'unscored' : '–'
  return `${flaky ? '~ ' : ''}${c}/${n}`
}

function flakyLines(rows: readonly SubjectSummary[], width: number, colors: Colors): string[] {
  const lines: string[] = []
  for (const { subject, cases } of rows) {
    const flaky = cases
      .filter((one) => one.flaky)
      .toSorted((a, b) => (b.flakinessPercent ?? 0) - (a.flakinessPercent ?? 0))
    if (flaky.length === 0) continue
    const head = `${counted(flaky.length, 'flaky case')} of ${cut(plain(subject), SUBJECT_COLUMN)}`
    const named = flaky.map((one) => `${plain(one.case)} ${Math.round(one.flakinessPercent ?? 0)}%`)
    lines.push(cut(`${head}: ${asManyAsFit(named, width - displayWidth(head) - 2)}`, width))
  }
  return lines.length === 0
    ? []
    : ['', colors.dim('~ passed some trials and failed others'), ...lines]
}

/** The first of some names, at least one, and how many more there are. */
function asManyAsFit(names: readonly string[], width: number): string {
  for (let n = Math.min(names.length, FLAKY_SHOWN); n > 1; n--) {
    const line = firstOf(names, n)
    if (displayWidth(line) <= width) return line
  }
  return firstOf(names, 1)
}

const firstOf = (names: readonly string[], n: number): string =>
  names.slice(0, n).join(', ') + (names.length > n ? `, ${names.length - n} more` : '')

function denominator({ counts }: Summary, width: number): string {
  const { planned, passed, failed, unscored, errored, cancelled } = counts
  const line = `${count(planned)} planned = ${count(passed)} passed + ${count(failed)} failed + ${count(unscored)} unscored + ${count(errored)} errored + ${count(cancelled)} cancelled`
  return displayWidth(line) <= width ? line : line.replace(' + ', '\n  + ')
}

/** A figure that does not rest on all scored cases says so. */
function leftOut({ subjects }: Summary): string[] {
  const said = subjects.flatMap(({ passRate, passAtK }) =>
    passAtK
      .filter(({ metric }) => metric.n < passRate.n)
      .map(
        ({ k, metric }) =>
          `pass@${k}, pass^${k}: over ${metric.n} of ${counted(passRate.n, 'case')}, those with ${k} scored trials or more`,
      ),
  )
  return [...new Set(said)]
}

/** How far the tests were from the code; said wherever code was tested. */
function integrityLine({ subjects, sandboxes }: Summary): string[] {
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

function notes(summary: Summary, width: number, colors: Colors): string[] {
  const lines: string[] = []
  const pretended = summary.subjects.every(({ source }) => source === 'simulated')
  if (summary.spentUsd > 0)
    lines.push(`spent ${dollars(summary.spentUsd)}${pretended ? ' of simulated money' : ''}`)
  if (summary.replaced > 0)
    lines.push(`${counted(summary.replaced, 'recorded trial')} replaced by a later one`)
  lines.push(...leftOut(summary))
  lines.push(...integrityLine(summary))
  const unknown = summary.subjects.reduce((sum, { cost }) => sum + cost.unknown, 0)
  if (unknown > 0) lines.push(`no $/pass: the price of ${counted(unknown, 'answer')} is unknown`)
  return lines.flatMap((line) => wrap(line, width)).map((line) => colors.dim(line))
}
