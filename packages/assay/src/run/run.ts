/**
 * A run from start to end: make or continue its folder, run what is missing, say how it ended.
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Subject, Suite } from '../contract.ts'
import { RunError, UsageError } from '../errors.ts'
import { closeGraders } from '../grade/index.ts'
import {
  lastRevision,
  readRecord,
  redactor,
  freeFolder,
  RunFolder,
  type Ending,
  type Revision,
  type RunRecord,
} from '../log/index.ts'
import { AnswerCache } from './answer-cache.ts'
import { RETRY_POLICY } from './backoff.ts'
import { Budget } from './budget.ts'
import { systemClock, type Clock } from './clock.ts'
import { setUpCode, setUpGraders, type CodeSetup } from './code-setup.ts'
import type { RunEvent } from './events.ts'
import { execute } from './execute.ts'
import { isPending, type Pending } from './pending.ts'
import { Plan } from './plan.ts'
import { lacking, recordedAnswers, type RecordedAnswers } from './regrade.ts'
import { checkExtends } from './revise.ts'
import { revision } from './revision.ts'
import {
  checkOptions,
  RUN_DEFAULTS,
  trialsOf,
  withDefaults,
  type Given,
  type RunOptions,
} from './run-options.ts'
import { Tally } from './tally.ts'
import { VERSION } from '../version.ts'
import { openWorkspaceStore, type WorkspaceStore } from '../workspace/index.ts'
import { needsWorkspaces } from './workspaces.ts'

export interface RunResult {
  readonly folder: string
  readonly record: RunRecord
  readonly ended: Ending
  readonly tally: Tally
  /** More trials errored than allowed: the figures are not to be trusted. */
  readonly tooManyErrors: boolean
}

/** Runs, or continues, a plan. See docs/library.md for an example. */
export async function run(options: RunOptions): Promise<RunResult> {
  const given = withDefaults(options)
  const trials = trialsOf(options)
  checkOptions(options, trials)
  const plan = new Plan(options.suites, options.subjects, trials)
  if (plan.planned === 0) throw new UsageError('nothing to run: no case, no subject or no trial')
  let code: CodeSetup | null = null
  try {
    await setUpGraders(options.suites, given.sandboxGraders)
    code = await setUpCode(options.suites, options.subjects, given.sandbox)
    return await runWith(options, given, plan, code)
  } finally {
    await closeGraders()
    await code?.sandbox.close()
    for (const subject of [...options.subjects, ...(options.judges ?? [])]) await subject.close()
  }
}

async function runWith(
  options: RunOptions,
  given: Given,
  plan: Plan<Suite, Subject>,
  code: CodeSetup | null,
): Promise<RunResult> {
  const clock = options.clock ?? systemClock
  const judges = options.judges ?? []
  const secrets = [...options.subjects, ...judges].flatMap((subject) => subject.secrets)
  const onEvent = options.onEvent ?? (() => {})
  const tally = new Tally(plan)
  const earlier =
    options.regrade === undefined ? null : await recordedAnswers(options.regrade, plan)
  const { folder, pending } = options.resume
    ? await resumed(options, plan, tally, secrets, onEvent, clock, code)
    : await created(options, plan, secrets, clock, code, earlier)
  const mostErrors = Math.floor(given.maxErrors * plan.planned)
  const isBad = (): boolean => tally.counts().errored > mostErrors
  let ended: Ending = 'failed'
  let workspaces: WorkspaceStore | null = null
  /** What is still being set up when the run ends is not waited for. */
  const over = new AbortController()
  try {
    if (code !== null && needsWorkspaces(options.suites, options.subjects))
      workspaces = await openWorkspaceStore({
        sandbox: code.sandbox,
        keep: options.keepWorkspaces === true ? join(folder.path, 'workspaces') : null,
        signal: over.signal,
      })
    if (earlier !== null) await carryOver(earlier, tally, folder)
    const { cancelled, errored } = tally.counts()
    const toDo = cancelled + (options.keepErrors === true ? 0 : errored)
    onEvent({
      type: 'start',
      folder: folder.path,
      planned: plan.planned,
      done: plan.planned - toDo,
    })
    const lacks = earlier === null ? null : lacking(plan.planned, earlier)
    if (lacks !== null) onEvent({ type: 'warning', text: lacks })
    ended = await execute({
      plan,
      tally,
      folder,
      judges,
      pending: earlier?.answers ?? pending,
      readKept: earlier?.read ?? ((text) => folder.blobs.read(text)),
      regrading: earlier !== null,
      seed: folder.record.seed,
      parallelism: options.parallelism ?? null,
      budget: new Budget(options.budgetUsd ?? null, tally.spentUsd),
      timeoutMs: given.timeoutMs,
      agentTimeoutMs: given.agentTimeoutMs,
      gradeTimeoutMs: given.gradeTimeoutMs,
      sandbox: code?.sandbox ?? null,
      sandboxGraders: given.sandboxGraders,
      workspaces,
      mostErrors,
      keepErrors: options.keepErrors ?? false,
      cache: options.cache === undefined ? null : new AnswerCache(options.cache, redactor(secrets)),
      clock,
      policy: options.retry ?? RETRY_POLICY,
      signal: options.signal ?? new AbortController().signal,
      graceMs: given.graceMs,
      onEvent,
    })
    folder.update({ ended: { at: new Date(clock.now()).toISOString(), how: ended } })
    onEvent({ type: 'end', how: ended })
  } finally {
    over.abort(new Error('the run has ended'))
    await workspaces?.close()
    await folder.close(ended === 'complete' && tally.counts().errored === 0)
  }
  return { folder: folder.path, record: folder.record, ended, tally, tooManyErrors: isBad() }
}

/** Trials that ended without an answer are as they were, whatever the graders. */
async function carryOver(
  { without }: RecordedAnswers,
  tally: Tally,
  folder: RunFolder,
): Promise<void> {
  for (const [ordinal, trial] of without) {
    if (tally.outcomeAt(ordinal) !== null) continue
    await folder.appendTrial(trial, false)
    tally.add(trial)
  }
}

async function created(
  options: RunOptions,
  plan: Plan<Suite, Subject>,
  secrets: readonly string[],
  clock: Clock,
  code: CodeSetup | null,
  earlier: RecordedAnswers | null,
): Promise<{ folder: RunFolder; pending: Map<number, Pending> }> {
  const at = new Date(clock.now()).toISOString()
  const record: RunRecord = {
    assay: 'run',
    version: 1,
    id: randomUUID(),
    createdAt: at,
    tool: {
      version: VERSION,
      node: process.version,
      platform: `${process.platform}-${process.arch}`,
    },
    seed: options.seed ?? RUN_DEFAULTS.seed,
    ...(earlier === null ? {} : { regrades: earlier.from }),
    revisions: [],
    ended: null,
  }
  const folder = RunFolder.create(
    options.freeName === true ? freeFolder(options.folder) : options.folder,
    record,
    secrets,
  )
  try {
    folder.update({ revisions: [await revision(options, plan, folder, at, code)] })
  } catch (error) {
    await folder.close(false)
    // Nothing has been asked yet, so this is still about where the user wants the run to be.
    throw error instanceof RunError ? new UsageError(error.message) : error
  }
  return { folder, pending: new Map() }
}

async function resumed(
  options: RunOptions,
  plan: Plan<Suite, Subject>,
  tally: Tally,
  secrets: readonly string[],
  onEvent: (event: RunEvent) => void,
  clock: Clock,
  code: CodeSetup | null,
): Promise<{ folder: RunFolder; pending: Map<number, Pending> }> {
  const record = readRecord(options.folder)
  if (record.regrades?.folder !== options.regrade)
    throw new UsageError(
      record.regrades === undefined
        ? `${options.folder} was started with answers of its own: it cannot go on as a regrading`
        : `${options.folder} grades the answers of ${record.regrades.folder} again and can only go on with them`,
    )
  const before = lastRevision(record)
  checkExtends(before, plan, options.judges ?? [], options.allowChanged ?? false)
  const pending = new Map<number, Pending>()
  /** Errored trials whose line already counts what their answer cost. */
  const booked = new Set<number>()
  const { folder, read } = await RunFolder.resume(
    options.folder,
    secrets,
    (trial) => {
      const ordinal = tally.add(trial)
      if (ordinal !== null && trial.answer !== null) booked.add(ordinal)
    },
    (value) => {
      if (!isPending(value)) return false
      const ordinal = plan.ordinalOf(value)
      // An errored trial keeps its answer: only the grading is done again.
      const outcome = ordinal === null ? null : tally.outcomeAt(ordinal)
      if (ordinal === null || (outcome !== null && outcome !== 'errored')) return false
      if (plan.cellAt(ordinal).case.hash !== value.caseHash) return false
      pending.set(ordinal, booked.has(ordinal) ? { ...value, spentUsd: 0 } : value)
      return true
    },
  )
  if (read.torn)
    onEvent({
      type: 'warning',
      text: 'the last line of the log was cut short; that trial is run again',
    })
  if (read.damaged > 0)
    onEvent({
      type: 'warning',
      text: `${read.damaged} lines of the log cannot be read; those trials are run again`,
    })
  if (tally.foreign > 0)
    onEvent({
      type: 'warning',
      text: `${tally.foreign} recorded trials belong to cases that have changed; they are run again`,
    })
  try {
    await revise(options, plan, folder, before, new Date(clock.now()).toISOString(), code)
  } catch (error) {
    await folder.close(false)
    throw error
  }
  return { folder, pending }
}

/** Writes down the plan in force, as a further revision where it differs from the last. */
async function revise(
  options: RunOptions,
  plan: Plan<Suite, Subject>,
  folder: RunFolder,
  before: Revision,
  at: string,
  code: CodeSetup | null,
): Promise<void> {
  const next = await revision(options, plan, folder, at, code)
  const same = JSON.stringify({ ...next, at: '' }) === JSON.stringify({ ...before, at: '' })
  folder.update({
    ended: null,
    revisions: same ? folder.record.revisions : [...folder.record.revisions, next],
  })
}
