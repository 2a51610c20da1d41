/**
 * Writes CSV for spreadsheets and data frames, with one row per trial, or with one row per case and subject. The text
 * is UTF-8, quoted as in RFC 4180, with line feeds as line ends. A cell without a value is empty.
 *
 * A spreadsheet runs a cell that starts with = + - or @ as a formula. The names and texts here come from models and
 * untrusted suites, so a text that starts with such a character gets a leading apostrophe. Numbers come from Assay and
 * stay as they are.
 */
import {
  type Grade,
  isCodeGrade,
  isLabelGrade,
  type Json,
  type Trajectory,
  type Trial,
  plainLines,
} from '@assay/contract'
import { durationMsOf } from '../../log/index.ts'
import type { TierScoring } from '../figures/composite.ts'
import { scoringIn, trialFigures } from '../figures/runs/trial-figures.ts'
import type { ReportFormat, ReportSource } from './format.ts'
import { inOrder } from './in-order.ts'
import { isMissing, readTrajectory } from '../view-data/read-trajectory.ts'
import { valuesBy } from '../figures/groups/breakdown.ts'
import type { CaseReport, Report, SubjectReport } from '../schema/report.ts'

/** The figures of a row's subject. They are the same in all rows of that subject. */
interface Context {
  readonly scoring: TierScoring
  readonly subjectOf: (trial: Trial) => SubjectReport | undefined
}

export type CsvCell = string | number | boolean | null | undefined

/**
 * Matches texts that a spreadsheet would run as a formula. The last four characters are full-width forms, which some
 * spreadsheets treat like the ASCII characters.
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u

/** Matches cells that need neither quotes nor an apostrophe. Most cells match, so this check saves time. */
const HARMLESS = /^\w[\w.:;/()-]*$/

function cellText(cell: CsvCell): string {
  if (cell === null || cell === undefined) return ''
  // In results of other programs, a time or a token count may be unknown. It is then NaN, and the cell is empty.
  if (typeof cell !== 'string') return Number.isNaN(cell) ? '' : String(cell)
  if (HARMLESS.test(cell)) return cell
  // Control characters are escaped first. The check for a formula must see the first character that is finally written.
  const safe = plainLines(cell).toWellFormed()
  const text = FORMULA.test(safe) ? `'${safe}` : safe
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export const csvLine = (cells: readonly CsvCell[]): string => cells.map(cellText).join(',')

// ── Trials ───────────────────────────────────────────────────────────────────────────────────────────

/** The recorded steps of an agent. Null if there are none, or if they cannot be read. */
type Acts = Trajectory | null

type TrialColumn = readonly [string, (trial: Trial, acts: Acts, context: Context) => CsvCell]

const TRIAL_COLUMNS: readonly TrialColumn[] = [
  ['suite', (trial) => trial.suite],
  ['case', (trial) => trial.case],
  ['subject', (trial) => trial.subject],
  ['index', (trial) => trial.index],
  ['outcome', (trial) => trial.outcome],
  // Passed is 1 and failed is 0, so that a spreadsheet can compute averages. The cell is empty if the trial was not
  // scored.
  ['passed', ({ outcome }) => (outcome === 'passed' ? 1 : outcome === 'failed' ? 0 : null)],
  ['score', (trial) => trial.score],
  ['impl_rate', (trial) => trial.implRate],
  ['reason', (trial) => trial.reason?.code],
  ['reason_text', (trial) => trial.reason?.text],
  ['compiled', (trial) => codeFact(trial, 'compiled')],
  ['tests_passed', (trial) => codeFact(trial, 'passed')],
  ['tests_failed', (trial) => codeFact(trial, 'failed')],
  ['lint_warnings', (trial) => codeFact(trial, 'warnings')],
  ['integrity', (trial) => codeGrade(trial)?.integrity],
  ['cost_usd', (trial) => trial.cost.answerUsd],
  ['judge_usd', (trial) => trial.cost.judgeUsd],
  ['spent_usd', (trial) => trial.cost.spentUsd],
  ['input_tokens', (trial) => trial.usage?.input],
  ['cache_read_tokens', (trial) => trial.usage?.cacheRead],
  ['cache_write_tokens', (trial) => trial.usage?.cacheWrite],
  ['output_tokens', (trial) => trial.usage?.output],
  ['reasoning_tokens', (trial) => trial.usage?.reasoning],
  ['started_at', (trial) => trial.time.startedAt],
  ['answer_ms', (trial) => trial.time.answerMs],
  ['wait_ms', (trial) => trial.time.waitMs],
  ['grade_ms', (trial) => trial.time.gradeMs],
  ['duration_seconds', ({ time }) => durationMsOf(time) / 1000],
  ['composite', (trial, _acts, { scoring }) => trialFigures(trial, scoring).composite],
  // Infinity is written as `Inf`, which spreadsheets and data frames can read.
  ['cost_of_pass', (trial, _acts, { scoring }) => runCostOfPass(trial, scoring)],
  ['attempts', ({ attempts }) => attempts?.length ?? 1],
  ['turns', (_, acts) => acts?.turns],
  ['tool_calls', (_, acts) => acts?.steps.filter(({ kind }) => kind === 'tool-call').length],
  ['source', (trial) => trial.source],
  ['sandbox', (trial) => trial.sandbox],
  ['case_hash', (trial) => trial.caseHash],
  ['grades', ({ grades }) => grades.map(gradeText).join('; ')],
]

/**
 * Columns with the labels that graders of type `label` found. Absent if there are no such graders. The labels of
 * several graders are separated by semicolons.
 */
const labelsIn = ({ classification }: Report): readonly TrialColumn[] =>
  classification === undefined
    ? []
    : (['expected', 'predicted'] as const).map((key): TrialColumn => [
        `label_${key}`,
        ({ grades }) =>
          grades
            .filter(isLabelGrade)
            .map(({ facts }) => (facts as Record<string, Json> | null)?.[key])
            .map((label) => (typeof label === 'string' ? label : ''))
            .join('; '),
      ])

/** Columns with the figures of the trial's subject on its suite. They are repeated in each row of the subject. */
const subjectColumns = ({ passK }: Report): readonly TrialColumn[] => [
  ['subject_total_cost_usd', (trial, _acts, { subjectOf }) => subjectOf(trial)?.cost.totalUsd],
  ...passK.map((k): TrialColumn => [
    `subject_pass_at_${k}`,
    (trial, _acts, { subjectOf }) =>
      subjectOf(trial)?.passAtK.find((one) => one.k === k)?.metric.value,
  ]),
]

function runCostOfPass(trial: Trial, scoring: TierScoring): CsvCell {
  const cost = trialFigures(trial, scoring).costOfPass
  return cost === Infinity ? 'Inf' : cost
}

const codeGrade = ({ grades }: Trial): Grade | undefined => grades.find(isCodeGrade)

function codeFact(trial: Trial, name: string): CsvCell {
  const facts = codeGrade(trial)?.facts as Readonly<Record<string, Json>> | null | undefined
  const fact = facts?.[name]
  return typeof fact === 'number' || typeof fact === 'boolean' ? fact : null
}

const VERDICTS = new Map<boolean | null, string>([
  [true, 'passed'],
  [false, 'failed'],
  [null, 'advice'],
])

const gradeText = ({ name, score, passed }: Grade): string =>
  `${name} ${score === null ? '–' : Number(score.toFixed(4))} ${VERDICTS.get(passed)}`

function trialLine(
  trial: Trial,
  text: ReportSource['text'],
  columns: readonly TrialColumn[],
  context: Context,
): string {
  const read = readTrajectory(trial, text)
  const acts = read === null || isMissing(read) ? null : read
  return csvLine(columns.map(([, value]) => value(trial, acts, context)))
}

/** Writes the table with one row per trial. */
export const csv: ReportFormat = {
  name: 'csv',
  description: 'one row per trial',
  write: async (source, put) => {
    const { title, cell } = editedColumn(source.report)
    const columns = [...TRIAL_COLUMNS, ...labelsIn(source.report), ...subjectColumns(source.report)]
    const context = contextOf(source.report)
    const labels = labelColumns(source.report)
    const found = new Map(
      labels.length === 0
        ? []
        : source.report.subjects.flatMap(({ suite, cases }) =>
            cases.map((one) => [JSON.stringify([suite, one.case]), one]),
          ),
    )
    const labelled = ({ suite, case: id }: Trial): string => {
      const one = found.get(JSON.stringify([suite, id]))
      return labels.map(([, value]) => `,${one === undefined ? '' : cellText(value(one))}`).join('')
    }
    const titles = [...columns, ...labels].map(([one]) => one)
    put(`${csvLine(titles)}${title}\n`)
    await inOrder(
      source,
      (trial) => `${trialLine(trial, source.text, columns, context)}${labelled(trial)}`,
      (text) => put(`${text}${cell}\n`),
    )
  },
}

function contextOf(report: Report): Context {
  const rows = new Map(report.subjects.map((row) => [`${row.suite}\n${row.subject}`, row]))
  return {
    scoring: scoringIn(report),
    subjectOf: ({ suite, subject }) => rows.get(`${suite}\n${subject}`),
  }
}

/**
 * Columns with the group of each case, if any case has one, and with the values of each key of `--by`. Several values
 * are separated by semicolons.
 */
function labelColumns({
  subjects,
  by = [],
}: Report): readonly (readonly [string, (one: CaseReport) => CsvCell])[] {
  const hasGroups = subjects.some(({ cases }) => cases.some(({ group }) => group !== undefined))
  return [
    ...(hasGroups ? [['group', ({ group }: CaseReport) => group] as const] : []),
    ...by
      .filter(({ key }) => key !== 'group')
      .map(({ key }) => [`by_${key}`, (one: CaseReport) => valuesBy(one, key).join('; ')] as const),
  ]
}

/**
 * An additional last column if the run's record was changed outside of Assay. Every row says so, so that a row still
 * says it when it is copied to another table.
 */
const editedColumn = ({ provenance: { edited, regrades } }: Report) =>
  edited === true || regrades?.edited === true
    ? { title: ',record', cell: ',edited' }
    : { title: '', cell: '' }

// ── Cases ────────────────────────────────────────────────────────────────────────────────────────────

type CaseColumn = readonly [string, (one: CaseReport, row: SubjectReport) => CsvCell]

const caseColumns = (report: Report): readonly CaseColumn[] => [
  ['suite', (_, row) => row.suite],
  ['case', (one) => one.case],
  ['subject', (_, row) => row.subject],
  ['source', (_, row) => row.source],
  ['planned', ({ counts }) => counts.planned],
  ['passed', ({ counts }) => counts.passed],
  ['failed', ({ counts }) => counts.failed],
  ['unscored', ({ counts }) => counts.unscored],
  ['errored', ({ counts }) => counts.errored],
  ['cancelled', ({ counts }) => counts.cancelled],
  ['pass_rate', (one) => one.passRate.value],
  ['pass_rate_low', (one) => one.passRate.interval?.low],
  ['pass_rate_high', (one) => one.passRate.interval?.high],
  ['interval_level', (one) => one.passRate.interval?.level],
  ['interval_method', (one) => one.passRate.interval?.method],
  ['mean_score', (one) => one.meanScore],
  ...report.passK.map((k): CaseColumn => [
    `pass_at_${k}`,
    (one) => one.passAtK.find((asked) => asked.k === k)?.value,
  ]),
  ['flaky', (one) => one.flaky],
  ['flakiness_percent', (one) => one.flakinessPercent],
  ['stable', (one) => one.stable],
  ['disagreement', (one) => one.disagreement],
  ['mean_cost_usd', (one) => one.meanCostUsd],
  ['total_cost_usd', (one) => (one.sums.costs < one.n || one.n === 0 ? null : one.sums.costUsd)],
  ['mean_answer_ms', (one) => one.meanAnswerMs],
  ['failed_graders', (one) => one.failedGraders.map(graderText).join('; ')],
  ['reasons', (one) => one.reasons.map(({ code, count }) => `${code} ${count}`).join('; ')],
  ['case_hash', (one) => one.caseHash],
  ...labelColumns(report),
]

const graderText = ({ name, failed, of }: CaseReport['failedGraders'][number]): string =>
  `${name} ${failed} of ${of}`

/** Writes the table with one row per case and subject. */
export const casesCsv: ReportFormat = {
  name: 'cases',
  description: 'one row per case and subject',
  write: async ({ report }, put) => {
    const columns = caseColumns(report)
    const { title, cell } = editedColumn(report)
    put(`${csvLine(columns.map(([one]) => one))}${title}\n`)
    for (const row of report.subjects)
      for (const one of row.cases)
        put(`${csvLine(columns.map(([, value]) => value(one, row)))}${cell}\n`)
  },
}
