/**
 * A run from start to end: make or continue its folder, run what is missing, say how it ended.
 */
import { randomUUID } from 'node:crypto'
import type { Json, Subject, Suite } from '../contract.ts'
import { RunError, UsageError } from '../errors.ts'
import { closeGraders, isCode } from '../grade/index.ts'
import {
  lastRevision,
  readRecord,
  redactor,
  freeFolder,
  RunFolder,
  type Ending,
  type Revision,
  type RunRecord,
  type SubjectRecord,
  type SuiteRecord,
} from '../log/index.ts'
import type { SandboxChoice } from '../sandbox/index.ts'
import { AnswerCache } from './answer-cache.ts'
import { RETRY_POLICY, type RetryPolicy } from './backoff.ts'
import { Budget } from './budget.ts'
import { systemClock, type Clock } from './clock.ts'
import { setUpCode, type CodeSetup } from './code-setup.ts'
import type { RunEvent } from './events.ts'
import { execute } from './execute.ts'
import { hashOf } from '../suite/index.ts'
import { isPending, type Pending } from './pending.ts'
import { Plan } from './plan.ts'
import { checkExtends } from './revise.ts'
import { Tally } from './tally.ts'
import { VERSION } from '../version.ts'

export interface RunOptions {
  readonly suites: readonly Suite[]
  readonly subjects: readonly Subject[]
  /** The run folder: new or empty, unless the run is resumed. */
  readonly folder: string
  /** Where `folder` is taken, take the next free name: `folder-2`, `folder-3` … */
  readonly freeName?: boolean
  /** For every case that does not set its own; the largest of `passK` unless given. */
  readonly trials?: number
  readonly passK?: readonly number[]
  readonly seed?: number
  /** Most requests at once for each provider. */
  readonly parallelism?: number
  readonly budgetUsd?: number
  /** For a subject's answer. */
  readonly timeoutMs?: number
  /** For each grader. */
  readonly gradeTimeoutMs?: number
  /** Share of planned trials that may error before the run counts as invalid and stops. */
  readonly maxErrors?: number
  /** Where code is run; bubblewrap unless given. `none` runs it as the user, which is stamped on the run. */
  readonly sandbox?: SandboxChoice
  /** Continue the run in `folder`. */
  readonly resume?: boolean
  /** On resume, leave errored trials as they are. */
  readonly keepErrors?: boolean
  /** On resume, accept suites and subjects that have changed. */
  readonly allowChanged?: boolean
  /** A folder of answers kept between runs; none unless given. */
  readonly cache?: string
  /** Aborts to stop gently: no new trials, `graceMs` for those under way. */
  readonly signal?: AbortSignal
  readonly graceMs?: number
  readonly onEvent?: (event: RunEvent) => void
  readonly clock?: Clock
  readonly retry?: RetryPolicy
  /** What the user asked for, kept in the record. */
  readonly request?: Json
  /** Where prices came from, kept in the record. */
  readonly prices?: string
}

export const RUN_DEFAULTS = {
  passK: [1],
  seed: 1,
  timeoutMs: 120_000,
  gradeTimeoutMs: 10_000,
  maxErrors: 0.05,
  graceMs: 10_000,
  sandbox: 'auto',
} as const

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
  const given: Given = { ...RUN_DEFAULTS, ...options, ...defined(options) }
  const trials = trialsOf(options)
  check(options, trials)
  const plan = new Plan(options.suites, options.subjects, trials)
  if (plan.planned === 0) throw new UsageError('nothing to run: no case, no subject or no trial')
  let code: CodeSetup | null = null
  try {
    code = await setUpCode(options.suites, options.subjects, given.sandbox)
    return await runWith(options, given, plan, code)
  } finally {
    await closeGraders()
    await code?.sandbox.close()
    for (const subject of options.subjects) await subject.close()
  }
}

type Given = RunOptions & Required<Pick<RunOptions, keyof typeof RUN_DEFAULTS>>

async function runWith(
  options: RunOptions,
  given: Given,
  plan: Plan<Suite, Subject>,
  code: CodeSetup | null,
): Promise<RunResult> {
  const clock = options.clock ?? systemClock
  const secrets = options.subjects.flatMap((subject) => subject.secrets)
  const onEvent = options.onEvent ?? (() => {})
  const tally = new Tally(plan)
  const { folder, pending } = options.resume
    ? await resumed(options, plan, tally, secrets, onEvent, clock, code)
    : await created(options, plan, secrets, clock, code)
  const mostErrors = Math.floor(given.maxErrors * plan.planned)
  const isBad = (): boolean => tally.counts().errored > mostErrors
  let ended: Ending = 'failed'
  try {
    const { cancelled, errored } = tally.counts()
    const toDo = cancelled + (options.keepErrors === true ? 0 : errored)
    onEvent({
      type: 'start',
      folder: folder.path,
      planned: plan.planned,
      done: plan.planned - toDo,
    })
    ended = await execute({
      plan,
      tally,
      folder,
      pending,
      seed: folder.record.seed,
      parallelism: options.parallelism ?? null,
      budget: new Budget(options.budgetUsd ?? null, tally.spentUsd),
      timeoutMs: given.timeoutMs,
      gradeTimeoutMs: given.gradeTimeoutMs,
      sandbox: code?.sandbox ?? null,
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
    await folder.close(ended === 'complete' && tally.counts().errored === 0)
  }
  return { folder: folder.path, record: folder.record, ended, tally, tooManyErrors: isBad() }
}

function trialsOf({ trials, passK = RUN_DEFAULTS.passK }: RunOptions): number {
  return trials ?? Math.max(...passK)
}

function check(options: RunOptions, trials: number): void {
  const whole = (name: string, value: number | undefined, least: number): void => {
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= least))
      throw new UsageError(`${name} must be a whole number of at least ${least}, got ${value}`)
  }
  whole('trials', trials, 1)
  whole('parallelism', options.parallelism, 1)
  whole('seed', options.seed, 0)
  for (const k of options.passK ?? []) whole('pass-k', k, 1)
  const { budgetUsd, maxErrors } = options
  if (budgetUsd !== undefined && !(budgetUsd >= 0))
    throw new UsageError(`budget must be at least 0 dollars, got ${budgetUsd}`)
  if (maxErrors !== undefined && !(maxErrors >= 0 && maxErrors <= 1))
    throw new UsageError(`max-errors must be a share from 0 to 1, got ${maxErrors}`)
  if (budgetUsd === undefined) return
  for (const suite of options.suites)
    for (const one of suite.cases)
      for (const subject of options.subjects)
        if (subject.estimateUsd(one) === null)
          throw new UsageError(
            `a budget cannot be held: the price of ${subject.id} is not known. Give it in a price file, or leave --budget out`,
          )
}

async function created(
  options: RunOptions,
  plan: Plan<Suite, Subject>,
  secrets: readonly string[],
  clock: Clock,
  code: CodeSetup | null,
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
  const before = lastRevision(readRecord(options.folder))
  checkExtends(before, plan, options.allowChanged ?? false)
  const pending = new Map<number, Pending>()
  const { folder, read } = await RunFolder.resume(
    options.folder,
    secrets,
    (trial) => tally.add(trial),
    (value) => {
      if (!isPending(value)) return false
      const ordinal = plan.ordinalOf(value)
      // An errored trial keeps its answer: only the grading is done again.
      const outcome = ordinal === null ? null : tally.outcomeAt(ordinal)
      if (ordinal === null || (outcome !== null && outcome !== 'errored')) return false
      if (plan.cellAt(ordinal).case.hash !== value.caseHash) return false
      pending.set(ordinal, value)
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

async function revision(
  options: RunOptions,
  plan: Plan<Suite, Subject>,
  folder: RunFolder,
  at: string,
  code: CodeSetup | null,
): Promise<Revision> {
  const trials = trialsOf(options)
  const suites: SuiteRecord[] = []
  for (const suite of plan.suites)
    suites.push({
      id: suite.id,
      name: suite.name,
      path: suite.path,
      format: suite.format,
      hash: suite.hash,
      threshold: suite.threshold,
      cases: suite.cases.map((one) => ({
        id: one.id,
        hash: one.hash,
        trials: one.trials ?? trials,
        ...(isCode(one) ? { code: true as const } : {}),
      })),
      text: await folder.blobs.store(JSON.stringify(suite)),
    })
  const subjects = plan.subjects.map(({ id, kind, source, config }): SubjectRecord => ({
    id,
    kind,
    source,
    config,
    hash: hashOf(config),
  }))
  return {
    at,
    suites,
    subjects,
    passK: [...(options.passK ?? RUN_DEFAULTS.passK)],
    timeoutMs: options.timeoutMs ?? RUN_DEFAULTS.timeoutMs,
    gradeTimeoutMs: options.gradeTimeoutMs ?? RUN_DEFAULTS.gradeTimeoutMs,
    budgetUsd: options.budgetUsd ?? null,
    request: options.request ?? null,
    prices: options.prices ?? 'none',
    ...(code === null ? {} : { sandbox: code.sandbox.name, toolchains: code.toolchains }),
  }
}

/** The options that are set: an undefined one must not hide a default. */
function defined(options: RunOptions): Partial<RunOptions> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}
