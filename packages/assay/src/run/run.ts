/**
 * Runs a plan from start to end: creates or resumes the run folder, runs the missing trials, and records how the run
 * ended.
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type Subject, type Suite, RunError, UsageError } from '@assay/contract'
import { useGraders } from '../grade/index.ts'
import {
  addToRunList,
  lastRevision,
  LOG_VERSION,
  readRecord,
  copyLabels,
  freeFolder,
  RunFolder,
  unmaskedWords,
  WORKSPACES_FOLDER,
  type Ending,
  type OnRecorded,
  type Revision,
  type RunRecord,
  type StoredTrials,
  type WaitRecord,
  Plan,
  Tally,
} from '../log/index.ts'
import { headCommit } from '../git/index.ts'
import { AnswerCache } from './resume/answer-cache.ts'
import { RETRY_POLICY } from './schedule/backoff.ts'
import { Budget, type BudgetState } from './schedule/budget.ts'
import { refuseIdleTests } from './grade/check-tests.ts'
import { learnCosts } from './schedule/learn-costs.ts'
import { systemClock, type Clock } from './schedule/clock.ts'
import { proveBefore } from './grade/prove-before.ts'
import { setUpCode, setUpGraders, type CodeSetup } from './grade/code-setup.ts'
import type { RunEvent } from './schedule/events.ts'
import type { GradedWith, Wait } from './schedule/job.ts'
import { execute, poolLimits } from './schedule/schedule.ts'
import { maskedError, maskedEvents, redactorsFor, unmaskedIn } from './masking.ts'
import { openRecorded, type OpenedRun } from './resume/open-recorded.ts'
import { recordingOf } from './recording.ts'
import { folderStore } from './trial/folder-store.ts'
import { timeoutOf, trialsOf } from './precedence.ts'
import { shardOf } from './shard.ts'
import { lacking, recordedAnswers, type RecordedAnswers } from './resume/regrade.ts'
import { checkExtends } from './resume/revise.ts'
import { revision, type RunFacts } from './resume/revision.ts'
import {
  caseSettings,
  checkOptions,
  RUN_DEFAULTS,
  withDefaults,
  type Given,
  type RunOptions,
} from './run-options.ts'
import { closeTools, lackLines, startTools } from '@assay/code'
import { removeAbandonedFolders, type Sandbox } from '@assay/sandbox'
import { VERSION } from '../version.ts'
import { openWorkspaceStore, type WorkspaceStore } from '../workspace/index.ts'
import { needsWorkspaces } from './workspaces.ts'

export interface RunResult {
  readonly folder: string
  readonly record: RunRecord
  readonly ended: Ending
  readonly tally: Tally
  /** Whether more trials errored than allowed. The results are then not reliable. */
  readonly tooManyErrors: boolean
  /** The state of the budget when it refused an answer. Null if it refused none. */
  readonly budget: BudgetState | null
  /**
   * What reading the log would return. It can be passed to `readRun`, which then does not read the log. Null if it is
   * not known: for a resumed run, for a run with judges, and for a large run without an index.
   */
  readonly recorded: StoredTrials | null
}

/** Runs or resumes a plan. See docs/reference/library.md for an example. */
export async function run(options: RunOptions): Promise<RunResult> {
  const given = withDefaults(options)
  checkOptions(options)
  const settings = caseSettings(options)
  const plan = new Plan(
    options.suites,
    options.subjects,
    (one, _, suite) => trialsOf(settings, suite, one).value,
    shardOf(options),
  )
  // The check uses the trials of all parts. One part alone may be empty if there are few trials, and is then complete
  // at once.
  if (plan.cells.every((cell) => cell.trialsOfAllParts === 0))
    throw new UsageError('nothing to run: no case, no subject or no trial')
  await removeAbandonedFolders()
  const releaseGraders = useGraders()
  let code: CodeSetup | null = null
  try {
    // If the trials run on other machines, the code is graded there, and those machines check what grading needs.
    if (options.engine === undefined) {
      await setUpGraders(options.suites, given.sandboxGraders)
      code = await setUpCode(options.suites, options.subjects, given.sandbox, {
        tellsLacks: true,
        judges: options.judges ?? [],
      })
      await checkBefore(options, given, code)
    }
    return await runWith(options, given, plan, code)
  } catch (error) {
    throw maskedError(error, secretsOf(options))
  } finally {
    if (code !== null) await closeTools(code.sandbox)
    await releaseGraders()
    await code?.sandbox.close()
    for (const subject of [...options.subjects, ...(options.judges ?? [])]) await subject.close()
    for (const { functions } of options.suites) await functions?.close()
  }
}

/** Reports faults in the tests of cases before any subject is asked. */
async function checkBefore(
  { suites, signal = new AbortController().signal, onEvent }: RunOptions,
  { gradeTimeoutMs }: Given,
  code: CodeSetup | null,
): Promise<void> {
  const openSandbox = (): Promise<Sandbox | null> => Promise.resolve(code?.sandbox ?? null)
  const warn = (text: string): void => onEvent?.({ type: 'warning', text })
  const lacks: CodeSetup['lacks'] = code?.lacks ?? new Map()
  for (const line of lackLines(suites, lacks))
    warn(`${line}. The trials of this case are errored without being asked; others go on`)
  const ready = suites.map((suite) => ({
    ...suite,
    cases: suite.cases.filter((one) => !lacks.has(one)),
  }))
  await refuseIdleTests(
    lacks.size === 0 ? suites : ready,
    { gradeTimeoutMs, signal, openSandbox },
    warn,
  )
}

/** Whether the run is new and its trials run in this process: it is not resumed, not regraded and not on workers. */
const isNew = ({ resume, regrade, engine }: RunOptions): boolean =>
  resume !== true && regrade === undefined && engine === undefined

const secretsOf = ({ subjects, judges = [] }: RunOptions): string[] => [
  ...new Set([...subjects, ...judges].flatMap(({ secrets }) => secrets)),
]

const NO_TRAFFIC =
  'no traffic is recorded: no subject asks its model through the gateway, which takes an agent, or a command in a workspace, with a key'

async function runWith(
  options: RunOptions,
  given: Given,
  plan: Plan<Suite, Subject>,
  code: CodeSetup | null,
): Promise<RunResult> {
  const clock = options.clock ?? systemClock
  const judges = options.judges ?? []
  const secrets = secretsOf(options)
  const onEvent = maskedEvents(options.onEvent ?? (() => {}), secrets)
  const unmasked = unmaskedIn(options.suites, [...options.subjects, ...judges], secrets)
  const tally = new Tally(plan)
  const earlier =
    options.regrade === undefined ? null : await recordedAnswers(options.regrade, plan, options)
  const facts: RunFacts = { secrets, unmasked, code }
  const { folder, pending, askedAgain } = options.resume
    ? await resumed(options, plan, tally, facts, onEvent, clock)
    : await created(options, plan, facts, clock, earlier)
  if (options.list !== undefined) enlist(options.list, folder, onEvent)
  const recording = recordingOf(options, tally)
  const settings = caseSettings(options)
  if (options.recordTraffic === true && !options.subjects.some((one) => one.requestPools?.length))
    onEvent({ type: 'warning', text: NO_TRAFFIC })
  for (const text of unmasked === null ? [] : unmaskedWords(unmasked))
    onEvent({ type: 'warning', text })
  // The cost of answers that no recorded trial contains. Some are not graded yet. Others cannot be used, so their
  // subject is asked again.
  const waitingUsd = [...pending.values()].reduce(
    (sum, { spentUsd }) => sum + spentUsd,
    [...askedAgain.values()].reduce((sum, usd) => sum + usd, 0),
  )
  let stoppedUsd = folder.record.stoppedUsd ?? 0
  tally.spend(stoppedUsd)
  const budget = new Budget(options.budgetUsd ?? null, tally.spentUsd + waitingUsd)
  if (budget.isLimited) learnCosts(budget, plan, tally)
  const parallelism = options.parallelism ?? null
  const mostErrors = Math.floor(given.maxErrors * plan.planned)
  const isBad = (): boolean => tally.counts().errored > mostErrors
  let ended: Ending = 'failed'
  let workspaces: WorkspaceStore | null = null
  let recorded: StoredTrials | null = null
  /** Aborts when the run ends. Without it, the run would wait for tools that are still starting. */
  const over = new AbortController()
  try {
    if (code !== null && needsWorkspaces(options.suites, options.subjects, judges))
      workspaces = await openWorkspaceStore({
        sandbox: code.sandbox,
        offlineSetup: options.offlineSetup ?? false,
        onFetch: (text) => onEvent({ type: 'note', text }),
        keep: options.keepWorkspaces === true ? join(folder.path, WORKSPACES_FOLDER) : null,
        signal: over.signal,
      })
    if (earlier !== null) await carryOver(earlier, tally, folder, recording.onRecorded)
    const { cancelled, errored } = tally.counts()
    const toDo = cancelled + (options.keepErrors === true ? 0 : errored)
    onEvent({
      type: 'start',
      folder: folder.path,
      planned: plan.planned,
      done: plan.planned - toDo,
      ...(plan.shard === null ? {} : { shard: plan.shard }),
      parallelism: Object.fromEntries(
        [...poolLimits({ plan, judges, parallelism, rate: options.rate ?? null })].map(
          ([name, { start, most }]) => [name, { start, most }],
        ),
      ),
    })
    const lacks = earlier === null ? null : lacking(plan.planned, earlier)
    if (lacks !== null) onEvent({ type: 'warning', text: lacks })
    const damage = earlier?.damage ?? null
    if (damage !== null)
      onEvent({ type: 'warning', text: `of the run that is graded again, ${damage}` })
    if (options.proveFirst === true && workspaces !== null && isNew(options))
      await proveBefore(options.suites, options.subjects, {
        ...{ sandbox: code?.sandbox ?? null, sandboxGraders: given.sandboxGraders, workspaces },
        ...{ gradeTimeoutMs: given.gradeTimeoutMs, onEvent },
        signal: options.signal ?? over.signal,
      })
    // Compilers and linters are started now, while the first subjects answer, so that grading does not have to wait for
    // them.
    if (code !== null && toDo > 0) startTools(options.suites, code.sandbox)
    const engine = options.engine ?? { execute }
    ended = await engine.execute({
      run: folder.record.id,
      rate: options.rate ?? null,
      sandboxChoice: given.sandbox,
      offlineSetup: options.offlineSetup ?? false,
      keepGradedWith: (found) => keepGradedWith(folder, found),
      plan,
      tally,
      store: folderStore(folder, recording.onRecorded),
      judges,
      redactFor: redactorsFor(secrets),
      usdOfFirstAnswer: (trial) => {
        const ordinal = askedAgain.size === 0 ? null : plan.ordinalOf(trial)
        return ordinal === null ? undefined : askedAgain.get(ordinal)
      },
      pending: earlier?.answers ?? pending,
      readKept: earlier?.read ?? ((text) => folder.blobs.read(text)),
      regrading: earlier !== null,
      seed: folder.record.seed,
      parallelism,
      maxWaitMs: given.maxWaitMs,
      keepWait: (wait) =>
        folder.update({ waits: withWait(folder.record.waits ?? [], wait, clock) }),
      addAskedAgain: (answers) => {
        const sum = (folder.record.askedAgain ?? 0) + answers
        if (answers > 0) folder.update({ askedAgain: sum })
        return sum
      },
      spentOnStopped: (usd) => {
        stoppedUsd += usd
        tally.spend(usd)
      },
      lacks: code?.lacks ?? new Map(),
      budget,
      timeoutMs: given.timeoutMs,
      agentTimeoutMs: given.agentTimeoutMs,
      timeoutOf: (suite, one, works) => timeoutOf(settings, suite, one, works).value,
      gradeTimeoutMs: given.gradeTimeoutMs,
      sandbox: code?.sandbox ?? null,
      sandboxGraders: given.sandboxGraders,
      workspaces,
      recordTraffic: options.recordTraffic ?? false,
      mostErrors,
      keepErrors: options.keepErrors ?? false,
      cache:
        options.cache === undefined
          ? null
          : new AnswerCache(options.cache, secrets, options.ownAnswers, (text) =>
              onEvent({ type: 'warning', text }),
            ),
      clock,
      policy: options.retry ?? RETRY_POLICY,
      signal: options.signal ?? new AbortController().signal,
      graceMs: given.graceMs,
      onEvent,
      ready: options.ready ?? (() => null),
    })
    folder.update({
      ended: { at: new Date(clock.now()).toISOString(), how: ended },
      ...(stoppedUsd === 0 ? {} : { stoppedUsd }),
    })
    recorded = await recording.finish(folder)
    const { state } = budget
    onEvent({
      type: 'end',
      how: ended,
      ...(ended === 'budget' && state !== null ? { budget: state } : {}),
    })
  } finally {
    over.abort(new Error('the run has ended'))
    await workspaces?.close()
    await folder.close(ended === 'complete' && tally.counts().errored === 0)
  }
  return {
    folder: folder.path,
    record: folder.record,
    ended,
    tally,
    tooManyErrors: isBad(),
    budget: budget.state,
    recorded,
  }
}

/**
 * Adds the sandbox and the toolchains with which code is graded to the record's last revision. If an earlier session
 * has recorded them, they stay unchanged.
 */
function keepGradedWith(folder: RunFolder, found: GradedWith): void {
  const { revisions } = folder.record
  const last = lastRevision(folder.record)
  if (last.sandbox !== undefined) return
  folder.update({ revisions: [...revisions.slice(0, -1), { ...last, ...found }] })
}

/** Adds a wait for a provider to the list. The list has one entry per provider, which sums up all its waits. */
function withWait(waits: readonly WaitRecord[], wait: Wait, clock: Clock): WaitRecord[] {
  const { provider, why, until, trials, gaveUp } = wait
  const known = waits.find((one) => one.provider === provider)
  const next: WaitRecord = {
    provider,
    waits: (known?.waits ?? 0) + 1,
    from: known?.from ?? new Date(clock.now()).toISOString(),
    until,
    why,
    trials: Math.max(known?.trials ?? 0, trials),
    ...(gaveUp === true ? { gaveUp } : {}),
  }
  return [...waits.filter((one) => one !== known), next]
}

/**
 * Adds the run to the project's list. If that fails, the user is only warned, because a run can be found without the
 * list.
 */
function enlist(
  list: string,
  { path, record }: RunFolder,
  onEvent: (event: RunEvent) => void,
): void {
  try {
    addToRunList(list, { id: record.id, folder: path })
  } catch (error) {
    const { message } = error as Error
    onEvent({
      type: 'warning',
      text: `cannot add this run to ${list}: ${message}. Unless it is in the runs folder, name it by its folder, not as latest`,
    })
  }
}

/** Copies the trials that ended without an answer into the new run. They have nothing that new graders could grade. */
async function carryOver(
  { without }: RecordedAnswers,
  tally: Tally,
  folder: RunFolder,
  onRecorded: OnRecorded,
): Promise<void> {
  for (const [ordinal, trial] of without)
    if (tally.outcomeAt(ordinal) === null) await folder.appendTrial(trial, false, onRecorded)
}

async function created(
  options: RunOptions,
  plan: Plan<Suite, Subject>,
  facts: RunFacts,
  clock: Clock,
  earlier: RecordedAnswers | null,
): Promise<OpenedRun> {
  const at = new Date(clock.now()).toISOString()
  const commit = headCommit(process.cwd())
  const record: RunRecord = {
    assay: 'run',
    version: LOG_VERSION,
    id: randomUUID(),
    createdAt: at,
    tool: {
      version: VERSION,
      node: process.version,
      platform: `${process.platform}-${process.arch}`,
    },
    seed: options.seed ?? RUN_DEFAULTS.seed,
    ...(earlier === null ? {} : { regrades: earlier.from }),
    ...(plan.shard === null ? {} : { shard: plan.shard }),
    ...(commit === null ? {} : { commit }),
    revisions: [],
    ended: null,
  }
  const folder = RunFolder.create(
    options.freeName === true ? freeFolder(options.folder) : options.folder,
    record,
    facts.secrets,
  )
  try {
    folder.update({ revisions: [await revision(options, plan, folder, at, facts)] })
    // The labels that people gave to these answers also apply to the new grades.
    if (options.regrade !== undefined) await copyLabels(folder.path, [options.regrade])
  } catch (error) {
    await folder.close(false)
    // No subject has been asked yet, so the error comes from the folder that the user chose. That is a mistake in the
    // usage.
    throw error instanceof RunError ? new UsageError(error.message) : error
  }
  return { folder, pending: new Map(), askedAgain: new Map() }
}

async function resumed(
  options: RunOptions,
  plan: Plan<Suite, Subject>,
  tally: Tally,
  facts: RunFacts,
  onEvent: (event: RunEvent) => void,
  clock: Clock,
): Promise<OpenedRun> {
  const record = readRecord(options.folder, options)
  if (record.regrades?.folder !== options.regrade)
    throw new UsageError(
      record.regrades === undefined
        ? `${options.folder} was started with answers of its own: it cannot go on as a regrading`
        : `${options.folder} grades the answers of ${record.regrades.folder} again and can only go on with them`,
    )
  const before = lastRevision(record)
  checkExtends(before, plan, options.judges ?? [], options.allowChanged ?? false)
  const opened = await openRecorded(options.folder, plan, tally, {
    secrets: facts.secrets,
    warn: (text) => onEvent({ type: 'warning', text }),
    acceptEdited: options.acceptEdited,
    lock: { onWait: (text) => onEvent({ type: 'warning', text }) },
  })
  const { folder } = opened
  try {
    await revise(options, plan, folder, before, new Date(clock.now()).toISOString(), facts)
  } catch (error) {
    await folder.close(false)
    throw error
  }
  return opened
}

/** Records the plan. It becomes a new revision if it differs from the last one. */
async function revise(
  options: RunOptions,
  plan: Plan<Suite, Subject>,
  folder: RunFolder,
  before: Revision,
  at: string,
  facts: RunFacts,
): Promise<void> {
  const made = await revision(options, plan, folder, at, facts)
  const { sandbox, toolchains, programLimits } = before
  const isElsewhere = options.engine !== undefined && sandbox !== undefined
  const gradedWith = isElsewhere
    ? {
        sandbox,
        ...(toolchains === undefined ? {} : { toolchains }),
        ...(programLimits === undefined ? {} : { programLimits }),
      }
    : {}
  const next = folder.maskedRevision({ ...made, ...gradedWith })
  const same = JSON.stringify({ ...next, at: '' }) === JSON.stringify({ ...before, at: '' })
  const { waits } = folder.record
  folder.update({
    ended: null,
    // `gaveUp` is removed, because this session asks again the providers that the earlier session gave up on.
    ...(waits === undefined ? {} : { waits: waits.map(({ gaveUp: _gaveUp, ...wait }) => wait) }),
    revisions: same ? folder.record.revisions : [...folder.record.revisions, next],
  })
}
