/**
 * Grades the answers of an earlier run again, with changed graders, judges or weights. No subject is asked, and the
 * earlier run is only read. The facts about an answer stay the same: its source, its time, its tokens and its original
 * cost. The new run pays only for judges. A recorded trial without an answer keeps its outcome. A trial that is not in
 * the earlier log counts as cancelled.
 */
import { join } from 'node:path'
import {
  SubjectError,
  type Case,
  type Reason,
  type Subject,
  type Suite,
  type Text,
  type Trial,
  RunError,
  UsageError,
} from '@assay/contract'
import { counted } from '../../text/index.ts'
import {
  Blobs,
  lastRevision,
  namedDamage,
  readRecord,
  readTrials,
  type AnsweredTrial,
  type ReadOptions,
  type Revision,
  type RunRecord,
  type SubjectRecord,
  type SuiteRecord,
  type Plan,
} from '../../log/index.ts'
import { hashOf } from '@assay/contract/hash'
import { trialOutcome } from '../../grade/index.ts'
import { MASKED_ANSWER, NO_TRACES, recordedOf } from '../../subject/index.ts'
import type { Pending } from './pending.ts'

const blobsOf = (folder: string): Blobs => new Blobs(join(folder, 'blobs'))

export interface Regradable {
  /** The cases for which the earlier run has answers. Each case has the same number of trials as in that run. */
  readonly suites: readonly Suite[]
  /** The subjects of the earlier run. They have the recorded settings and cannot be asked. */
  readonly subjects: readonly Subject[]
  readonly seed: number
  readonly warnings: readonly string[]
}

/**
 * Selects the cases of these suites whose answers in an earlier run can be graded again. Throws a `UsageError` if a
 * case asks another question than in the earlier run, unless the user allows that.
 */
export function regradable(
  folder: string,
  suites: readonly Suite[],
  {
    allowChanged = false,
    acceptEdited,
  }: { readonly allowChanged?: boolean | undefined } & ReadOptions = {},
): Regradable {
  const record = readRecord(folder, { acceptEdited })
  const before = lastRevision(record)
  const blobs = blobsOf(folder)
  const warnings: string[] = []
  const changed: string[] = []
  const kept = suites.map((suite) => {
    const recorded = before.suites.find(({ id }) => id === suite.id)
    if (recorded === undefined)
      throw new UsageError(
        `the run ${folder} has no answers to suite ${suite.id}, only to ${before.suites.map(({ id }) => id).join(', ')}`,
      )
    const trials = new Map(recorded.cases.map((one) => [one.id, one.trials]))
    const asked = askedIn(recorded, blobs)
    const cases = suite.cases.flatMap((one) => {
      const planned = trials.get(one.id)
      if (planned === undefined) return []
      const then = asked.get(one.id)
      if (then !== undefined && then !== askedBy(one)) changed.push(`case ${suite.id} ${one.id}`)
      return [{ ...one, trials: planned }]
    })
    const added = suite.cases.length - cases.length
    const dropped = recorded.cases.length - cases.length
    if (added > 0) warnings.push(left(added, suite.id, 'the run has no answers to them'))
    if (dropped > 0) warnings.push(left(dropped, suite.id, 'they are not among the cases now'))
    const { subjects: _, ...rest } = suite
    return {
      ...rest,
      cases,
      ...(recorded.subjects === undefined ? {} : { subjects: recorded.subjects }),
    }
  })
  if (changed.length > 0 && !allowChanged)
    throw new UsageError(
      `${folder} answers another question than these ask now:\n${changed
        .slice(0, 20)
        .map((one) => `  - ${one}`)
        .join('\n')}\nRun them anew, or grade the old answers all the same with --allow-changed`,
    )
  if (changed.length > 0)
    warnings.push(
      `${counted(changed.length, 'case asks', 'cases ask')} something else than what the answers were given to`,
    )
  return {
    suites: kept,
    subjects: before.subjects.map(recordedSubject),
    seed: record.seed,
    warnings,
  }
}

const left = (count: number, suite: string, why: string): string =>
  `${count} ${count === 1 ? 'case' : 'cases'} of ${suite} left out: ${why}`

/**
 * Returns the question of each case in the earlier run. The result is empty if the stored text of the suite is missing.
 */
function askedIn({ text }: SuiteRecord, blobs: Blobs): Map<string, string> {
  try {
    const { cases } = JSON.parse(blobs.readSync(text)) as Suite
    return new Map(cases.map((one) => [one.id, askedBy(one)]))
  } catch {
    return new Map()
  }
}

/**
 * Returns everything that a case asks, as one text to compare. Suites that older versions recorded have no `workspace`.
 */
const askedBy = ({
  turns,
  system,
  vars,
  row,
  input,
  files,
  workspace = null,
}: Pick<Case, 'turns' | 'system' | 'vars' | 'row' | 'input' | 'files'> &
  Partial<Pick<Case, 'workspace'>>): string =>
  JSON.stringify([
    turns,
    ...[system, row ?? (vars === undefined ? undefined : hashOf(vars)), input].filter(
      (one) => one !== undefined,
    ),
    Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)),
    ...(workspace === null
      ? []
      : [workspace.git?.commit ?? null, workspace.folder?.sha256 ?? null, workspace.setup]),
  ])

/** Returns a subject with the recorded id and settings, so that both runs refer to the same subject. */
function recordedSubject({ id, kind, source, config }: SubjectRecord): Subject {
  return {
    id,
    kind: kind as Subject['kind'],
    source,
    pool: 'regrade',
    concurrency: { start: 64, most: 64 },
    config,
    secrets: [],
    ...(kind === 'model' || kind === 'simulated' ? { traces: () => NO_TRACES } : {}),
    estimateUsd: () => 0,
    answer: async () => {
      throw new SubjectError(`${id} is not asked: its answers are graded again`, {
        reason: 'no-answer',
        retry: false,
      })
    },
    close: async () => {},
  }
}

/** The answers of an earlier run, for a plan that grades them again. */
export interface RecordedAnswers {
  readonly from: NonNullable<RunRecord['regrades']>
  /** The answers to grade, by the trial's position in the plan. */
  readonly answers: Map<number, Pending>
  /** The trials that ended without an answer, by their position in the plan. */
  readonly without: ReadonlyMap<number, Trial>
  readonly read: (text: Text) => Promise<string>
  /** A message about damaged lines of the earlier run's log. Null if there are none. */
  readonly damage: string | null
}

export async function recordedAnswers(
  folder: string,
  plan: Plan<Suite, Subject>,
  options: ReadOptions = {},
): Promise<RecordedAnswers> {
  const record = readRecord(folder, options)
  const hashes = caseHashes(lastRevision(record))
  const last = new Map<number, Trial | AnsweredTrial>()
  const keep = (trial: Trial | AnsweredTrial): void => {
    const ordinal = plan.ordinalOf(trial)
    if (ordinal !== null && hashes.get(`${trial.suite}\n${trial.case}`) === trial.caseHash)
      last.set(ordinal, trial)
  }
  // Lines whose grades are damaged are used too. Their answers are intact, and only the answers are needed.
  const { damaged, damagedLines } = await readTrials(folder, keep, keep)
  const answers = new Map<number, Pending>()
  const without = new Map<number, Trial>()
  for (const [ordinal, trial] of last) {
    const one = plan.cellAt(ordinal).case
    const pending = pendingOf(trial, one.hash)
    if (pending !== null) answers.set(ordinal, pending)
    else if ('outcome' in trial) without.set(ordinal, { ...lost(trial, one), caseHash: one.hash })
  }
  const blobs = blobsOf(folder)
  return {
    from: { id: record.id, folder, ...(record.edited === true ? { edited: true as const } : {}) },
    damage: damaged === 0 ? null : namedDamage({ damaged, damagedLines }),
    answers,
    without,
    read: (text) =>
      blobs.read(text).catch((error: unknown) => {
        throw new RunError(`an answer of ${folder} cannot be read: ${(error as Error).message}`)
      }),
  }
}

/**
 * Returns a trial that cannot be graded again. A trial without an answer stays as it ended. A trial whose answer is
 * masked becomes errored, because the original answer is not known.
 */
function lost(
  { files: _f, trajectory: _t, stream: _s, diff: _d, traffic: _r, ...trial }: Trial,
  one: Case,
): Trial {
  const kept: Trial = { ...trial, cost: { ...trial.cost, spentUsd: 0 } }
  if (trial.answer === null) return kept
  const { masked: _masked, ...rest } = kept
  const reason: Reason = { code: 'no-answer', text: MASKED_ANSWER }
  return { ...rest, ...trialOutcome(one, { kind: 'errored', reason }), answer: null }
}

const caseHashes = ({ suites }: Revision): Map<string, string> =>
  new Map(
    suites.flatMap(({ id, cases }) => cases.map((one) => [`${id}\n${one.id}`, one.hash] as const)),
  )

/** Turns a recorded trial into an answer to grade. Returns null if the trial has no answer that can be graded. */
export function pendingOf(trial: AnsweredTrial, caseHash: string): Pending | null {
  const recorded = recordedOf(trial)
  if ('missing' in recorded) return null
  const { suite, case: id, subject, index, attempts, cost, time, source } = trial
  return {
    suite,
    case: id,
    subject,
    index,
    caseHash,
    answer: recorded,
    attempts: attempts ?? [],
    startedAt: time.startedAt,
    answerMs: time.answerMs,
    waitMs: time.waitMs,
    answerUsd: cost.answerUsd,
    spentUsd: 0,
    source,
  }
}

/** Returns a message about the trials that cannot be graded again, or null if there are none. */
export function lacking(planned: number, { answers, without }: RecordedAnswers): string | null {
  const never = planned - answers.size - without.size
  if (without.size + never === 0) return null
  const masked = [...without.values()].filter(({ reason }) => reason?.text === MASKED_ANSWER).length
  const ended = without.size - masked
  const said = [
    ...(ended > 0 ? [ended === 1 ? '1 stays as it ended' : `${ended} stay as they ended`] : []),
    ...(masked > 0
      ? [`${masked} held a secret and ${masked === 1 ? 'is' : 'are'} recorded masked`]
      : []),
    ...(never > 0
      ? [
          never === 1
            ? '1 is not in its log and stays cancelled'
            : `${never} are not in its log and stay cancelled`,
        ]
      : []),
  ]
  return `${without.size + never} of ${counted(planned, 'trial')} ${without.size + never === 1 ? 'has' : 'have'} no recorded answer: ${said.join(', ')}`
}
