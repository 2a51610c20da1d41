/**
 * Writes JUnit XML for the test views of GitHub, GitLab and Jenkins. There is a test suite for each suite and subject,
 * and a test for each case. There is no test for each trial, because the reader of a build wants to know which case is
 * broken. The message says how many of the case's trials failed.
 *
 * A case fails if any scored trial failed. It is an error if no trial could be scored because all errored. It is
 * skipped if there was nothing to score or nothing ran. A build that tolerates some failures should use gates instead.
 *
 * Gates have their own test suite, with a test for each gate. The test fails if the gate fails. If the gate is not
 * decided, the test is skipped, or fails with `--strict`. Figures by tag or metadata (`--by`) are properties of the
 * suite and subject, because they neither pass nor fail.
 */
import { Sum } from '@assay/metrics'
import type { Grade, Text, Trial } from '@assay/contract'
import { counted } from '../../text/index.ts'
import type { ReportFormat, ReportSource } from './format.ts'
import { cellKey } from '../schema/trial-position.ts'
import type { CaseReport, Report, SubjectReport } from '../schema/report.ts'
import { disclosuresOf } from '../figures/disclosures.ts'
import { breakdownProperties } from './junit/breakdown.ts'
import { gateTests, gateTotals, putGates, type Totals } from './junit/gate-suite.ts'
import { escaped, quoted } from './junit/xml.ts'

export const junit: ReportFormat = {
  name: 'junit',
  description: 'JUnit XML for the test views of CI services',
  write: async (source, put) => {
    const { report } = source
    const cells = await readCells(source)
    const gates = gateTests(report)
    const all = [...report.subjects.map((row) => totals(row, cells)), gateTotals(gates)]
    const sum = (key: keyof Totals): number => all.reduce((total, one) => total + one[key], 0)
    put('<?xml version="1.0" encoding="UTF-8"?>\n')
    put(
      `<testsuites name="assay" tests="${sum('tests')}" failures="${sum('failures')}" errors="${sum('errors')}" time="${time(sum('ms'))}">\n`,
    )
    for (const [i, row] of report.subjects.entries())
      putSuite(put, source, row, all[i] as Totals, cells)
    putGates(put, report, gates)
    put('</testsuites>\n')
  },
}

// ── Facts from single trials ─────────────────────────────────────────────────────────────────────────

/** Facts about one subject on one case. */
interface CellFacts {
  /** The time for answering and grading, summed over all trials. */
  readonly ms: Sum
  /** The failed trial with the lowest index. If no trial failed, the errored trial with the lowest index. */
  example: Example | null
}

interface Example {
  readonly index: number
  readonly failed: boolean
  readonly text: string
  readonly evidence: Text | null
}

type Cells = ReadonlyMap<string, CellFacts>

const MOST_TEXT = 2000
const MOST_EVIDENCE = 4000

async function readCells({ trials }: ReportSource): Promise<Cells> {
  const cells = new Map<string, CellFacts>()
  await trials((trial) => {
    const key = cellKey(trial)
    let cell = cells.get(key)
    if (cell === undefined) {
      cell = { ms: new Sum(), example: null }
      cells.set(key, cell)
    }
    // The sum is exact until it is rounded at the end, so the order of recording does not change it.
    for (const ms of [trial.time.answerMs, trial.time.gradeMs])
      if (!Number.isNaN(ms)) cell.ms.add(ms)
    if (isBetter(trial, cell.example)) cell.example = exampleOf(trial)
  })
  return cells
}

function isBetter({ outcome, index }: Trial, than: Example | null): boolean {
  if (outcome !== 'failed' && outcome !== 'errored') return false
  if (than === null) return true
  const failed = outcome === 'failed'
  return failed === than.failed ? index < than.index : failed
}

function exampleOf(trial: Trial): Example {
  const culprit = trial.grades.find((grade) => grade.passed === false)
  const said = trial.reason === undefined ? 'no reason was recorded' : reasonOf(trial.reason)
  // If there is only one grade, the reason already says the same.
  const grades = trial.grades.length > 1 ? trial.grades.map(gradeLine) : []
  const lines = [`trial ${trial.index}: ${said}`, ...grades]
  return {
    index: trial.index,
    failed: trial.outcome === 'failed',
    text: lines.join('\n').slice(0, MOST_TEXT),
    evidence: culprit?.evidence ?? null,
  }
}

const reasonOf = ({ code, text }: NonNullable<Trial['reason']>): string => `${code}: ${text}`

const gradeLine = ({ name, score, reason }: Grade): string =>
  `${name}: ${score === null ? 'no score' : Number(score.toFixed(4))}${reason === undefined ? '' : `, ${reason}`}`

// ── Counting ─────────────────────────────────────────────────────────────────────────────────────────

type Kind = 'passed' | 'failure' | 'error' | 'skipped'

function kindOf({ n, c, counts }: CaseReport): Kind {
  if (n > c) return 'failure'
  if (n > 0) return 'passed'
  return counts.errored > 0 ? 'error' : 'skipped'
}

function totals({ suite, subject, cases }: SubjectReport, cells: Cells): Totals {
  const kinds = cases.map(kindOf)
  const many = (kind: Kind): number => kinds.filter((one) => one === kind).length
  const ms = new Sum()
  for (const one of cases)
    ms.add(cells.get(cellKey({ suite, case: one.case, subject }))?.ms.value ?? 0)
  return {
    tests: cases.length,
    failures: many('failure'),
    errors: many('error'),
    skipped: many('skipped'),
    ms: ms.value,
  }
}

// ── Writing ──────────────────────────────────────────────────────────────────────────────────────────

function putSuite(
  put: (text: string) => void,
  { report, text }: ReportSource,
  row: SubjectReport,
  { tests, failures, errors, skipped, ms }: Totals,
  cells: Cells,
): void {
  const { suite, subject, cases } = row
  const at = report.run.createdAt === null ? '' : ` timestamp=${quoted(secondOf(report))}`
  put(
    `  <testsuite name=${quoted(`${suite} / ${subject}`)} tests="${tests}" failures="${failures}" errors="${errors}" skipped="${skipped}" time="${time(ms)}"${at}>\n`,
  )
  put('    <properties>\n')
  for (const [name, value] of propertiesOf(report, row))
    put(`      <property name=${quoted(name)} value=${quoted(value)}/>\n`)
  put('    </properties>\n')
  // JUnit readers treat the part before the last dot as a package name. So dots in names are replaced, and the only dot
  // is the one between suite and subject.
  const classname = [suite, subject].map((part) => part.replaceAll('.', '_')).join('.')
  const noVerdict =
    report.provenance.origin === null ? 'the case has no grader' : 'no verdict is given'
  for (const one of cases) {
    const cell = cells.get(cellKey({ suite, case: one.case, subject }))
    put(
      `    <testcase name=${quoted(one.case)} classname=${quoted(classname)} time="${time(cell?.ms.value ?? 0)}"`,
    )
    const body = bodyOf(one, cell?.example ?? null, text, noVerdict)
    put(body === '' ? '/>\n' : `>\n${body}    </testcase>\n`)
  }
  put('  </testsuite>\n')
}

function propertiesOf(report: Report, row: SubjectReport): [string, string][] {
  const { run, provenance } = report
  const { counts, source } = row
  return [
    ['run', run.id],
    ['suite', row.suite],
    ['subject', row.subject],
    ['source', source],
    ...(provenance.tool === null ? [] : [['assay', provenance.tool.version] as [string, string]]),
    ...Object.entries(counts).map(([name, value]): [string, string] => [
      `trials.${name}`,
      String(value),
    ]),
    ...disclosuresOf(report).map((stamp): [string, string] => ['stamp', stamp]),
    ...breakdownProperties(report, row),
  ]
}

function bodyOf(
  one: CaseReport,
  example: Example | null,
  text: ReportSource['text'],
  noVerdict: string,
): string {
  const { n, c, counts } = one
  const kind = kindOf(one)
  const codes = (outcome: 'failed' | 'errored'): string =>
    one.reasons
      .filter((reason) => reason.outcome === outcome)
      .map(({ code, count }) => `${code} ×${count}`)
      .join(', ')
  if (kind === 'skipped')
    return `      <skipped>${counts.unscored > 0 ? noVerdict : 'no trial was run'}</skipped>\n`
  const lost = counts.errored + counts.cancelled + counts.unscored
  const aside =
    lost === 0
      ? ''
      : [
          `${c} of ${n} scored trials passed`,
          ...(counts.errored > 0 ? [`${counts.errored} errored (${codes('errored')})`] : []),
          ...(counts.cancelled > 0 ? [`${counts.cancelled} did not run`] : []),
          ...(counts.unscored > 0 ? [`${counts.unscored} were not scored`] : []),
        ].join(', ')
  if (kind === 'passed')
    return aside === '' ? '' : `      <system-out>${escaped(aside)}</system-out>\n`
  const outcome = kind === 'failure' ? 'failed' : 'errored'
  const message =
    kind === 'failure'
      ? `${n - c} of ${counted(n, 'trial')} failed: ${codes(outcome)}`
      : `${counted(counts.errored, 'trial')} errored, none could be scored: ${codes(outcome)}`
  const type = one.reasons.find((reason) => reason.outcome === outcome)?.code ?? outcome
  const evidence =
    example === null || example.evidence === null ? null : text(example.evidence, MOST_EVIDENCE)
  const told = [
    ...(example === null ? [] : [example.text]),
    ...(evidence === null ? [] : ['', evidence]),
    ...(kind === 'failure' && aside !== '' ? ['', aside] : []),
  ].join('\n')
  return `      <${kind} message=${quoted(message)} type=${quoted(type)}>${escaped(told)}</${kind}>\n`
}

/** Formats milliseconds as seconds, which is the unit in JUnit XML. */
const time = (ms: number): string => (ms / 1000).toFixed(3)

const secondOf = ({ run }: Report): string => (run.createdAt ?? '').slice(0, 19)
