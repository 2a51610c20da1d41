/**
 * CSV for spreadsheets and data frames: one row per trial, or one per case and subject. UTF-8, quoted as in
 * RFC 4180, with line feeds as line ends; a cell without a value is empty.
 *
 * A spreadsheet runs a cell that starts with = + - or @ as a formula. The names and texts here come from
 * models and untrusted suites, so such a text gets a leading apostrophe. Numbers are our own and stay as they
 * are.
 */
import {
  type Grade,
  isCodeGrade,
  type Json,
  type Trajectory,
  type Trial,
  plainLines,
} from '@assay/contract'
import type { ReportFormat, ReportSource } from './format.ts'
import { inOrder } from './in-order.ts'
import { isMissing, readTrajectory } from '../view-data/read-trajectory.ts'
import type { CaseReport, Report, SubjectReport } from '../schema/report.ts'

type Cell = string | number | boolean | null | undefined

/** The last four are full-width forms, which some spreadsheets treat like the ASCII ones. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u

/** Matches most cells: they need neither quoting nor an apostrophe. */
const HARMLESS = /^\w[\w.:;/()-]*$/

function cellText(cell: Cell): string {
  if (cell === null || cell === undefined) return ''
  // Trials that ran elsewhere may have unknown times and token counts.
  if (typeof cell !== 'string') return Number.isNaN(cell) ? '' : String(cell)
  if (HARMLESS.test(cell)) return cell
  // The text is neutralised first, because the apostrophe depends on the first character that is finally
  // written.
  const safe = plainLines(cell).toWellFormed()
  const text = FORMULA.test(safe) ? `'${safe}` : safe
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const line = (cells: readonly Cell[]): string => cells.map(cellText).join(',')

// ── Trials ───────────────────────────────────────────────────────────────────────────────────────────

/** The trajectory of an agent; null if there is none, or if it cannot be read. */
type Acts = Trajectory | null

const TRIAL_COLUMNS: readonly (readonly [string, (trial: Trial, acts: Acts) => Cell])[] = [
  ['suite', (trial) => trial.suite],
  ['case', (trial) => trial.case],
  ['subject', (trial) => trial.subject],
  ['index', (trial) => trial.index],
  ['outcome', (trial) => trial.outcome],
  // A number, so that averages work; empty if the trial was not scored.
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
  ['attempts', ({ attempts }) => attempts?.length ?? 1],
  ['turns', (_, acts) => acts?.turns],
  ['tool_calls', (_, acts) => acts?.steps.filter(({ kind }) => kind === 'tool-call').length],
  ['source', (trial) => trial.source],
  ['sandbox', (trial) => trial.sandbox],
  ['case_hash', (trial) => trial.caseHash],
  ['grades', ({ grades }) => grades.map(gradeText).join('; ')],
]

const codeGrade = ({ grades }: Trial): Grade | undefined => grades.find(isCodeGrade)

function codeFact(trial: Trial, name: string): Cell {
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

function trialLine(trial: Trial, text: ReportSource['text']): string {
  const read = readTrajectory(trial, text)
  const acts = read === null || isMissing(read) ? null : read
  return line(TRIAL_COLUMNS.map(([, value]) => value(trial, acts)))
}

/** One row per trial. */
export const csv: ReportFormat = {
  name: 'csv',
  description: 'one row per trial',
  write: async (source, put) => {
    const { title, cell } = editedColumn(source.report)
    put(`${line(TRIAL_COLUMNS.map(([one]) => one))}${title}\n`)
    await inOrder(
      source,
      (trial) => trialLine(trial, source.text),
      (text) => put(`${text}${cell}\n`),
    )
  },
}

/** An extra last column if the run's record was changed, so that each row says so wherever it is copied. */
const editedColumn = ({ provenance: { edited, regrades } }: Report) =>
  edited === true || regrades?.edited === true
    ? { title: ',record', cell: ',edited' }
    : { title: '', cell: '' }

// ── Cases ────────────────────────────────────────────────────────────────────────────────────────────

type CaseColumn = readonly [string, (one: CaseReport, row: SubjectReport) => Cell]

const caseColumns = ({ passK }: Report): readonly CaseColumn[] => [
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
  ...passK.map((k): CaseColumn => [
    `pass_at_${k}`,
    (one) => one.passAtK.find((asked) => asked.k === k)?.value,
  ]),
  ['flaky', (one) => one.flaky],
  ['flakiness_percent', (one) => one.flakinessPercent],
  ['stable', (one) => one.stable],
  ['disagreement', (one) => one.disagreement],
  ['mean_cost_usd', (one) => one.meanCostUsd],
  ['mean_answer_ms', (one) => one.meanAnswerMs],
  ['failed_graders', (one) => one.failedGraders.map(graderText).join('; ')],
  ['reasons', (one) => one.reasons.map(({ code, count }) => `${code} ${count}`).join('; ')],
  ['case_hash', (one) => one.caseHash],
]

const graderText = ({ name, failed, of }: CaseReport['failedGraders'][number]): string =>
  `${name} ${failed} of ${of}`

/** One row per case and subject. */
export const casesCsv: ReportFormat = {
  name: 'cases',
  description: 'one row per case and subject',
  write: async ({ report }, put) => {
    const columns = caseColumns(report)
    const { title, cell } = editedColumn(report)
    put(`${line(columns.map(([one]) => one))}${title}\n`)
    for (const row of report.subjects)
      for (const one of row.cases)
        put(`${line(columns.map(([, value]) => value(one, row)))}${cell}\n`)
  },
}
