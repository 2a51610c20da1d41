/**
 * Reads a run folder: its report, and its trials for callers that show single trials. The log is streamed into columns
 * (one array per fact), so the trials are never all in memory. A caller that iterates over the trials reads the log a
 * second time. If the log has several lines for a trial, only the last one counts.
 */
import { join } from 'node:path'
import type { GraderResult } from '@assay/metrics'
import { plain, type Text, type Trial, RunError, UsageError } from '@assay/contract'
import {
  Blobs,
  lastRevision,
  namedDamage,
  readNamed,
  readRecord,
  readRecorded,
  readTrials,
  readTrialsAt,
  recordedFor,
  SMALL_RUN,
  unmaskedWords,
  type ReadOptions,
  type RecordedTrials,
  type RunRecord,
  type Shard,
  type StoredTrials,
  type WaitRecord,
  type TrialsRead,
  type Tally,
  Plan,
} from '../log/index.ts'
import { counted } from '../text/index.ts'
import { buildReport } from './figures/build-report.ts'
import type { ReportSource } from './formats/format.ts'
import { cellKey } from './schema/trial-position.ts'
import { LabelledTrials } from './figures/classification-report.ts'
import { JudgedTrials, judgeNotes, ownAnswers } from './figures/judge-report.ts'
import { provenanceOf, scoringOf } from './figures/provenance.ts'
import { reportSchema, type Report } from './schema/report.ts'
import { graderResult } from './figures/spec-blocks.ts'
import { suitesAsRun, type SuiteFacts, type SuitesAsRun } from './suites-as-run.ts'

export interface RunReport extends ReportSource {
  readonly folder: string
  readonly record: RunRecord
  readonly read: TrialsRead
  readonly tally: Tally
  /**
   * Returns the outcomes of the trials of one subject on one case, one letter each (`ViewCell.outcomes`). Empty if the
   * run has no such trials.
   */
  readonly outcomesOf: (suite: string, one: string, subject: string) => string
  /** Returns a recorded trial by its position in `outcomesOf`. Null if it was not recorded. */
  readonly trialAt: (suite: string, one: string, subject: string, position: number) => Trial | null
}

export interface ReadRunOptions extends ReadOptions {
  /**
   * Returns a secret key of the user, or null. Assay keeps an index of the log in the folder of a large run and signs
   * it with this key (docs/design/trial-log.md). It uses an index only if this key signed it, because an untrusted
   * folder may contain a forged one.
   */
  readonly indexKey?: () => Uint8Array | null
  /**
   * The maximum number of trials of a small run. The report of a small run has the grader results of all trials, and a
   * small run gets no index. Default: 20,000.
   */
  readonly smallRun?: number
  /**
   * The trials that a run recorded which has just ended in this process. With them, the log need not be read. They are
   * ignored if the record has another plan, or if the report needs more than they contain.
   */
  readonly recorded?: StoredTrials | null
  /**
   * If true, the report leaves out the grader results and the figures of single trials, as for a large run. The summary
   * in a terminal does not show them.
   */
  readonly brief?: boolean
  /**
   * The facts about the suites of the run that has just ended in this process. With them, the suites need not be read.
   */
  readonly suiteFacts?: SuiteFacts | null
  /** If true, the report is computed only when it is asked for, not at once. */
  readonly lazy?: boolean
}

/**
 * Reads a run folder and summarises it. Throws if the run's record was changed by hand or by another program, unless
 * the caller accepts that. If the caller accepts it, the report says so.
 *
 * @example
 * const { report } = await readRun('.assay/runs/first')
 * report.counts.passed
 */
export async function readRun(folder: string, options: ReadRunOptions = {}): Promise<RunReport> {
  const record = readRecord(folder, options)
  const gathered = gatherFor(folder, record, options)
  const { plan, needsTrials, each } = gathered
  const { indexKey, smallRun = SMALL_RUN } = options
  const known = needsTrials ? null : (options.recorded ?? null)
  const recorded =
    (known === null ? null : recordedFor(known, plan)) ??
    (await readRecorded(folder, plan, { indexKey, smallRun, ...(needsTrials ? { each } : {}) }))
  recorded.tally.spend(record.stoppedUsd)
  const source = runReport(folder, record, gathered, recorded)
  if (options.lazy !== true) void source.report
  return source
}

/** Data for the report that is collected while the trials of a log are read, in addition to the tally. */
export interface Gathered {
  readonly plan: Plan
  readonly blobs: Blobs
  readonly asRun: SuitesAsRun
  readonly brief: boolean
  /** Whether the figures need the trials themselves. Otherwise the tally is enough. */
  readonly needsTrials: boolean
  readonly each: (ordinal: number, trial: Trial) => void
  /**
   * The grader results of each trial, by ordinal (the trial's position in the plan). Null if there are too many trials.
   */
  readonly grades: ReadonlyMap<number, GraderResult[]> | null
  readonly judged: JudgedTrials
  readonly labelled: LabelledTrials
}

export function gatherFor(
  folder: string,
  record: RunRecord,
  { smallRun = SMALL_RUN, brief = false, suiteFacts = null }: ReadRunOptions = {},
): Gathered {
  const last = lastRevision(record)
  const blobs = new Blobs(join(folder, 'blobs'))
  const plan = planIn(record)
  const asRun = suitesAsRun(last.suites, blobs, { keeps: !brief, known: suiteFacts })
  const grades = brief || plan.planned > smallRun ? null : new Map<number, GraderResult[]>()
  const groups = new Map<string, string>()
  for (const { id, cases } of last.suites)
    for (const one of cases) if (one.group !== undefined) groups.set(keyOf(id, one.id), one.group)
  const judged = new JudgedTrials((suite, one) => groups.get(keyOf(suite, one)))
  const labelled = new LabelledTrials(asRun.facts.expected)
  return {
    ...{ plan, blobs, asRun, brief, grades, judged, labelled },
    needsTrials: grades !== null || last.judges !== undefined || labelled.isNeeded,
    each: (ordinal, trial) => {
      grades?.set(ordinal, trial.grades.map(graderResult))
      if (last.judges !== undefined) judged.add(ordinal, trial)
      if (labelled.isNeeded) labelled.add(ordinal, trial)
    },
  }
}

/** Returns the plan that applies: the one of the last revision in the record. */
export function planIn(record: RunRecord): Plan {
  const { suites, subjects } = lastRevision(record)
  return new Plan(
    suites,
    subjects.map(({ id, source }) => ({ id, source, pool: '' })),
    1,
    record.shard,
  )
}

/** Computes the report from the data that was read from the run's files. */
function reportOf(
  record: RunRecord,
  { plan, asRun, brief, grades, judged, labelled }: Gathered,
  { tally, read }: RecordedTrials,
): Report {
  const last = lastRevision(record)
  const judging = judged.report(record.seed)
  const { classification, notes: labelNotes } = labelled.report(plan, tally)
  const own = ownAnswers(last.judges ?? [], last.subjects)
  return buildReport({
    tally,
    run: { id: record.id, createdAt: record.createdAt, endedAt: record.ended?.at ?? null },
    provenance: provenanceOf(record, asRun.facts.gradersHashes, read, tally),
    passK: last.passK,
    ...(last.experiment === undefined
      ? {}
      : { tiers: last.experiment.tiers, scoring: scoringOf(last.experiment) }),
    brief,
    labelsOf: asRun.facts.labelsOf,
    gradesAt: grades === null ? null : (ordinal) => grades.get(ordinal) ?? [],
    ...(last.judges === undefined ? {} : { judging: { judging, ownAnswers: own } }),
    classification,
    notes: [
      ...(record.shard === undefined ? [] : [shardNote(record.shard)]),
      ...logNotes(read),
      ...(record.waits ?? []).map(waitNote),
      ...(record.askedAgain === undefined ? [] : [askedAgainNote(record.askedAgain)]),
      ...unmaskedWords(last.unmasked ?? {}),
      ...judgeNotes(judging, own, judged.usd),
      ...labelNotes,
    ],
  })
}

/**
 * Returns a run whose files were read. Its report is computed only when it is asked for, because the trials of a large
 * run can be shown long before that.
 */
export function runReport(
  folder: string,
  record: RunRecord,
  gathered: Gathered,
  recorded: RecordedTrials,
): RunReport {
  const { plan, blobs, asRun } = gathered
  const { tally, starts, read } = recorded
  let report: Report | null = null
  const trials: ReportSource['trials'] = async (each, cells) => {
    const wanted = cells === undefined ? null : ordinalsOf(plan, cells)
    if (wanted !== null && wanted.length < plan.planned / MOST_SOUGHT) {
      readTrialsAt(folder, recorded, wanted, each)
      return
    }
    await readTrials(folder, (trial, start) => {
      const ordinal = plan.ordinalOf(trial)
      if (ordinal !== null && starts[ordinal] === start) each(trial)
    })
  }
  const trialAt: RunReport['trialAt'] = (suite, one, subject, position) => {
    const cell = plan.cellOf(suite, one, subject)
    if (cell === null || !(position >= 0 && position < cell.trials)) return null
    let found: Trial | null = null
    readTrialsAt(folder, recorded, [cell.first + position], (trial) => (found = trial))
    return found
  }
  return {
    folder,
    record,
    read,
    get report(): Report {
      return (report ??= reportOf(record, gathered, recorded))
    },
    tally,
    get suites() {
      return asRun.suites
    },
    trials,
    outcomesOf: (suite, one, subject) => {
      const cell = plan.cellOf(suite, one, subject)
      return cell === null ? '' : outcomeLetters(tally, cell.first, cell.trials)
    },
    trialAt,
    text: (text, most) => textOf(blobs, text, most),
  }
}

/** The letter of each outcome. A letter's position is the outcome's code in `Tally.outcome`. */
const LETTERS = 'cpfue'

export function outcomeLetters({ outcome }: Tally, first: number, trials: number): string {
  let letters = ''
  for (let at = first; at < first + trials; at++) letters += LETTERS.charAt(outcome[at] ?? 0)
  return letters
}

const keyOf = (suite: string, one: string): string => JSON.stringify([suite, one])

/**
 * Finding one line by its offset takes about as long as reading this many lines in order. So lines are found by offset
 * only if few are needed.
 */
const MOST_SOUGHT = 4

function ordinalsOf({ cells }: Plan, wanted: ReadonlySet<string>): number[] {
  const ordinals: number[] = []
  for (const { suite, case: one, subject, first, trials } of cells)
    if (wanted.has(cellKey({ suite: suite.id, case: one.id, subject: subject.id })))
      for (let ordinal = first; ordinal < first + trials; ordinal++) ordinals.push(ordinal)
  return ordinals
}

const shardNote = ({ index, of }: Shard): string =>
  `this is part ${index} of ${of} of a run: its figures are of this part alone. assay merge joins the parts`

/** Says how many answers were requested more than once. */
const askedAgainNote = (answers: number): string =>
  `${counted(answers, 'answer')} ${answers === 1 ? 'was' : 'were'} requested more than once, because a worker or Redis was lost; what the lost requests cost is not in the figures`

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
export const summarize = async (folder: string, options: ReadRunOptions = {}): Promise<Report> =>
  (await readRun(folder, options)).report

/** Says what is wrong with a log. If the log has no checksums, says that damage cannot be detected. */
const logNotes = (read: TrialsRead): string[] => [
  ...(read.torn ? ['the last line of the log was cut short and is left out'] : []),
  ...(read.damaged > 0
    ? [`${namedDamage(read)}; no figure counts ${read.damaged === 1 ? 'it' : 'them'}`]
    : []),
  ...(read.version === 1
    ? ['the log has no checksums (format version 1): damage to it cannot be detected']
    : []),
]

function textOf(blobs: Blobs, text: Text, most?: number): string | null {
  try {
    return blobs.readSync(text, most)
  } catch {
    return null
  }
}

/**
 * Returns only the position from the message of a parse error. The rest of the message quotes the file, which may
 * contain untrusted text.
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
      throw new UsageError(`${path} is not valid JSON${placeIn(error)}`, { cause: error })
    throw new RunError(`cannot read ${path}: ${(error as Error).message}`, { cause: error })
  }
  const head = value as { assay?: unknown; version?: unknown } | null
  if (head?.assay !== 'report') throw new UsageError(`${path} is not a report of assay`)
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
