/**
 * Reads a run folder: its report, and its trials for callers that show single ones. The log is streamed into
 * columns, so trials are never all in memory. Iterating over the trials reads the log a second time, and only
 * the last line of each identity counts.
 */
import { join } from 'node:path'
import type { GraderResult } from '@assay/metrics'
import { plain, type Suite, type Text, type Trial, RunError, UsageError } from '@assay/contract'
import {
  Blobs,
  lastRevision,
  namedDamage,
  readNamed,
  readRecord,
  readTrials,
  unmaskedWords,
  type ReadOptions,
  type RunRecord,
  type SuiteRecord,
  type WaitRecord,
  type TrialsRead,
  Plan,
  Tally,
} from '../log/index.ts'
import { counted } from '../text/index.ts'
import { buildReport } from './figures/build-report.ts'
import type { ReportSource } from './formats/format.ts'
import { JudgedTrials, judgeNotes, ownAnswers } from './figures/judge-report.ts'
import { provenanceOf, scoringOf } from './figures/provenance.ts'
import { reportSchema, type Report } from './schema/report.ts'
import { graderResult } from './figures/spec-blocks.ts'

export interface RunReport extends ReportSource {
  readonly folder: string
  readonly record: RunRecord
  readonly read: TrialsRead
}

/** Runs with at most this many trials have all grader results of all trials in their report. */
const MOST_GRADED = 20_000

/**
 * Reads a run folder and summarises it. Throws if the run's record was changed by anything other than Assay,
 * unless the caller accepts that. The report then says so.
 *
 * @example
 * const { report } = await readRun('.assay/runs/first')
 * report.counts.passed
 */
export async function readRun(folder: string, options: ReadOptions = {}): Promise<RunReport> {
  const record = readRecord(folder, options)
  const last = lastRevision(record)
  const blobs = new Blobs(join(folder, 'blobs'))
  const suites = last.suites.flatMap((suite) => suiteOf(suite, blobs) ?? [])
  const plan = new Plan(
    last.suites,
    last.subjects.map(({ id, source }) => ({ id, source, pool: '' })),
    1,
  )
  const tally = new Tally(plan)
  tally.spend(record.stoppedUsd)
  /** For each trial the number of the line that counts, from 1; 0 if it has none. */
  const lineAt = new Uint32Array(plan.planned)
  const grades = plan.planned > MOST_GRADED ? null : new Map<number, GraderResult[]>()
  const judged = new JudgedTrials()
  let line = 0
  const read = await readTrials(
    folder,
    (trial) => {
      line++
      const ordinal = tally.add(trial)
      if (ordinal === null) return
      lineAt[ordinal] = line
      grades?.set(ordinal, trial.grades.map(graderResult))
      if (last.judges !== undefined) judged.add(ordinal, trial)
    },
    // The money for a damaged line was spent, and the part of the line that contains the cost is intact.
    ({ cost }) => tally.spend(cost.spentUsd),
  )
  const judging = judged.report(record.seed)
  const own = ownAnswers(last.judges ?? [], last.subjects)
  const report = buildReport({
    tally,
    run: { id: record.id, createdAt: record.createdAt, endedAt: record.ended?.at ?? null },
    provenance: provenanceOf(record, suites, read, tally),
    passK: last.passK,
    ...(last.experiment === undefined
      ? {}
      : { tiers: last.experiment.tiers, scoring: scoringOf(last.experiment) }),
    gradesAt: grades === null ? null : (ordinal) => grades.get(ordinal) ?? [],
    ...(last.judges === undefined ? {} : { judging: { judging, ownAnswers: own } }),
    notes: [
      ...logNotes(read),
      ...(record.waits ?? []).map(waitNote),
      ...unmaskedWords(last.unmasked ?? {}),
      ...judgeNotes(judging, own, judged.usd),
    ],
  })
  const trials = async (each: (trial: Trial) => void): Promise<void> => {
    let at = 0
    await readTrials(folder, (trial) => {
      at++
      const ordinal = plan.ordinalOf(trial)
      if (ordinal !== null && lineAt[ordinal] === at) each(trial)
    })
  }
  return {
    folder,
    record,
    read,
    report,
    suites,
    trials,
    text: (text, most) => textOf(blobs, text, most),
  }
}

/** Says which provider the run waited for, and whether it gave up. */
const waitNote = ({ provider, waits, from, until, why, gaveUp }: WaitRecord): string =>
  gaveUp === true
    ? `given up: ${why}`
    : `waited ${counted(waits, 'time')} for ${plain(provider)}, from ${from} to ${until}: ${why}`

/**
 * Reads a run folder and returns its report, in the form of `report.json`.
 *
 * @example
 * const report = await summarize('.assay/runs/first')
 * report.subjects.map(({ subject, passRate }) => [subject, passRate.value])
 */
export const summarize = async (folder: string, options: ReadOptions = {}): Promise<Report> =>
  (await readRun(folder, options)).report

/** Says what is wrong with a log, and whether damage can be detected in it at all. */
const logNotes = (read: TrialsRead): string[] => [
  ...(read.torn ? ['the last line of the log was cut short and is left out'] : []),
  ...(read.damaged > 0 ? [`${namedDamage(read)}; no figure counts them`] : []),
  ...(read.version === 1
    ? ['the log has no checksums (format version 1): damage to it cannot be detected']
    : []),
]

/** Returns the suite as it was run; null if its text is no longer there. */
function suiteOf({ text }: SuiteRecord, blobs: Blobs): Suite | null {
  try {
    return JSON.parse(blobs.readSync(text)) as Suite
  } catch {
    return null
  }
}

function textOf(blobs: Blobs, text: Text, most?: number): string | null {
  try {
    return blobs.readSync(text, most)
  } catch {
    return null
  }
}

/**
 * Returns only the position from a parse error. The message also quotes the file, which may hold untrusted
 * text.
 */
const placeIn = ({ message }: SyntaxError): string =>
  / \(line \d+ column \d+\)$/.exec(message)?.[0] ?? ''

/** Reads a `report.json` and checks it against the schema. */
export function readReportFile(path: string): Report {
  let value: unknown
  try {
    value = JSON.parse(readNamed(path))
  } catch (error) {
    if (error instanceof UsageError) throw error
    if (error instanceof SyntaxError)
      throw new UsageError(`${path} is no JSON${placeIn(error)}`, { cause: error })
    throw new RunError(`cannot read ${path}: ${(error as Error).message}`, { cause: error })
  }
  const head = value as { assay?: unknown; version?: unknown } | null
  if (head?.assay !== 'report') throw new UsageError(`${path} is no report of assay`)
  if (head.version !== 1)
    throw new UsageError(
      `${path} has format version ${String(head.version)}, this assay reads version 1. Use the assay that wrote it, or a newer one`,
    )
  const parsed = reportSchema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new UsageError(
    `${path} is damaged: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not a report'}`,
  )
}
