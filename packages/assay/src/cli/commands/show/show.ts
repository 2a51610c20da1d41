/** `assay show`: shows why trials failed. It lists the cases of a run, or shows one case, or one trial in full. */
import { type Grade, type Text, type Trial, UsageError } from '@assay/contract'
import { indexKey } from '../../../environment/index.ts'
import {
  readRun,
  renderShown,
  select,
  withBreakdowns,
  type Report,
  type Shown,
  type ShownCell,
} from '../../../report/index.ts'
import { runAnnouncer } from '../../output/announce-run.ts'
import { findRun, runSources, type FoundRun } from '../../settings/find-run.ts'
import { printedJson, warn, type Output } from '../../output/output.ts'
import { noticesOf } from '../../output/exit-status.ts'
import { programName } from '../../output/program-name.ts'

export interface ShowCommandOptions {
  readonly run: string
  readonly case?: string
  /** The index of the trial, from 0, as the user typed it. */
  readonly index?: string
  readonly subject?: string
  readonly suite?: string
  readonly full?: boolean
  readonly json?: boolean
  readonly acceptEdited?: boolean
  /** The keys by which the figures in the list of cases are grouped. */
  readonly by?: readonly string[]
}

/** The highest number of cases in the list, unless the user asks for all. */
const MOST_ROWS = 30

export async function showCommand(options: ShowCommandOptions, output: Output): Promise<number> {
  const { run, full = false, json = false } = options
  const wanted = { ...options, index: indexOf(options.index) }
  const announce = runAnnouncer(output)
  const folder = await announce(await foundRun(options))
  const source = await readRun(folder, { ...options, indexKey })
  if (options.by !== undefined && options.case !== undefined)
    throw new UsageError('--by is for the cases of a run; leave out the case')
  const report = withBreakdowns(source.report, options.by ?? [])
  const shown = await select(source, wanted, full || json ? Number.POSITIVE_INFINITY : MOST_ROWS)
  const { text } = source
  const program = programName()
  if (json)
    output.out(
      `${printedJson({ ...headJson(report), ...asJson(shown, text), ...(report.by === undefined ? {} : { by: report.by }) }, 2)}\n`,
    )
  else output.out(renderShown(shown, report, { ...output, program, run, full, text }))
  for (const notice of noticesOf(source.read)) warn(output, notice)
  return 0
}

function indexOf(index: string | undefined): number | undefined {
  if (index === undefined) return undefined
  if (!/^\d{1,9}$/.test(index))
    throw new UsageError(`"${index}" is not a number of a trial; they count from 0`)
  return Number(index)
}

async function foundRun({ run, case: id }: ShowCommandOptions): Promise<FoundRun> {
  try {
    return findRun(run, await runSources())
  } catch (error) {
    if (!(error instanceof UsageError) || id !== undefined || run === 'latest') throw error
    throw new UsageError(`${error.message}. For a case of the last run: assay show latest CASE`, {
      cause: error,
    })
  }
}

// ── JSON output ──────────────────────────────────────────────────────────────────────────────────────

type Fetch = (text: Text) => string | null

/** Returns the run's id, and whether its record was edited or its log is damaged. */
function headJson({ run, provenance: { edited, log } }: Report): Record<string, unknown> {
  return {
    run: run.id,
    ...(edited === true ? { edited } : {}),
    ...(log.damaged === 0 ? {} : { damaged: log.damaged, damagedLines: log.damagedLines ?? [] }),
  }
}

function asJson(shown: Shown, text: Fetch): Record<string, unknown> {
  if (shown.kind === 'cases') return { cases: shown.cells.map(cellJson) }
  if (shown.kind === 'trial') {
    const { cell, trial } = shown
    return { turns: cell.asked?.turns ?? null, trial: trialJson(trial, text) }
  }
  const cases = shown.cells.map((cell) => ({
    ...cellJson(cell),
    turns: cell.asked?.turns ?? null,
    trials: cell.trials.map((trial) => trialJson(trial, text)),
  }))
  return { cases }
}

function cellJson({ suite, subject, report, trials }: ShownCell): Record<string, unknown> {
  const { case: id, counts, n, c, meanScore, flaky, reasons } = report
  const outcomes = trials.map(({ index, outcome }) => ({ index, outcome }))
  return { suite, case: id, subject, counts, n, c, meanScore, flaky, reasons, outcomes }
}

/** Returns the trial as in the log, but with the full texts instead of references to them. A missing text is null. */
function trialJson(trial: Trial, text: Fetch): Record<string, unknown> {
  const { answer, files, trajectory, stream, diff, messages, log, traffic, grades, ...rest } = trial
  return {
    ...rest,
    answer: answer === null ? null : text(answer),
    ...(files === undefined
      ? {}
      : {
          files: Object.fromEntries(Object.entries(files).map(([path, one]) => [path, text(one)])),
        }),
    ...(trajectory === undefined ? {} : { trajectory: recordJson(text(trajectory)) }),
    ...(diff === undefined ? {} : { diff: recordJson(text(diff)) }),
    ...(stream === undefined ? {} : { stream: text(stream) }),
    ...(traffic === undefined ? {} : { traffic: text(traffic) }),
    ...(messages === undefined ? {} : { messages: recordJson(text(messages)) }),
    ...(log === undefined ? {} : { log: text(log) }),
    grades: grades.map((grade) => gradeJson(grade, text)),
  }
}

/** Returns the parsed value if the text is JSON that can also be printed again. Otherwise returns the text itself. */
function recordJson(text: string | null): unknown {
  if (text === null) return null
  try {
    const value = JSON.parse(text) as unknown
    // JSON that is nested too deeply can be parsed, but not printed.
    JSON.stringify(value)
    return value
  } catch {
    return text
  }
}

function gradeJson(grade: Grade, text: Fetch): Record<string, unknown> {
  const { evidence, details, ...rest } = grade
  return {
    ...rest,
    ...(evidence === undefined ? {} : { evidence: text(evidence) }),
    ...(details === undefined ? {} : { details: details.map((one) => gradeJson(one, text)) }),
  }
}
