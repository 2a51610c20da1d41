/** `assay run`: plans a run, runs it with progress, prints the summary and returns the exit code. */
import { statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { type Json, UsageError, plain } from '@assay/contract'
import { indexKey } from '../../../environment/index.ts'
import { closeGraders } from '../../../grade/index.ts'
import { checkOwnFolder, lastRevision, readRecord, type AccessRecord } from '../../../log/index.ts'
import {
  formatFor,
  checkKeys,
  checkReportPath,
  readRun,
  renderReport,
  checkGateNames,
  summarize,
  withGates,
  withBreakdowns,
  writeReport,
  type GatesAsked,
  type Report,
} from '../../../report/index.ts'
import {
  isStronger,
  run,
  strongest,
  systemClock,
  type OwnAnswers,
  type RunEvent,
  type RunResult,
  type Setting,
} from '../../../run/index.ts'
import {
  accessRecord,
  isShown,
  isTrustedByEnvironment,
  ownSigner,
  quoted,
} from '../../../trust/index.ts'
import { takeEnvFile } from '../../settings/env-file.ts'
import { earlierRun } from '../../settings/earlier-run.ts'
import { runAnnouncer } from '../../output/announce-run.ts'
import { findRun, runSources, type FoundRun } from '../../settings/find-run.ts'
import { gatesAsked } from '../../settings/gates-asked.ts'
import { warn, type Output } from '../../output/output.ts'
import { defaultFolder, planRun, requestJson } from '../../settings/plan-run.ts'
import type { PlannedRun } from '../../settings/planned-run.ts'
import type { RunFlags } from '../../settings/run-flags.ts'
import {
  humanProgress,
  jsonProgress,
  NONE_RECORDED,
  type Progress,
  type Recorded,
} from '../../output/progress.ts'
import { trustGate } from '../../trust/require-trust.ts'
import { verdictOf } from '../../output/exit-status.ts'
import {
  dryRun,
  planOf,
  progressPlan,
  shardNotices,
  type RecordedTrials,
} from './planned-trials.ts'

const CACHE_FOLDER = join('.assay', 'cache')

export async function runCommand(flags: RunFlags, output: Output): Promise<number> {
  // Wrong gates are refused before any request costs money.
  const gates = await gatesAsked(flags)
  const done = await planAndRun(flags, gates, output)
  return typeof done === 'number' ? done : told(done, flags, gates, output)
}

/**
 * The facts about an ended run that are printed. Suites and the tally are left out, so that their memory is free for
 * the report.
 */
type RanRun = Omit<RunResult, 'tally'> & { readonly spentUsd: number }

/** Plans the run and runs it. If nothing is to be run, as for a dry run, returns the exit code instead. */
async function planAndRun(
  flags: RunFlags,
  gates: GatesAsked,
  output: Output,
): Promise<RanRun | number> {
  await takeEnvFile(flags.envFile, output)
  checkOutput(flags.output)
  // Reject a file name without a known format and a place that cannot be written to now, before any request costs money.
  for (const path of flags.report ?? []) {
    formatFor(path)
    checkReportPath(path)
  }
  const sources = await runSources()
  const cache = join(sources.project, CACHE_FOLDER)
  if (flags.cache === true) for (const one of [dirname(cache), cache]) checkOwnFolder(one)
  const announce = runAnnouncer(output)
  const named = (name: string): Promise<string> => announce(findRun(name, sources))
  const resumed =
    flags.resume === undefined
      ? null
      : await named(flags.resume === true ? (flags.output ?? 'latest') : flags.resume)
  const record = resumed === null ? null : readRecord(resumed, flags)
  const before = record === null ? null : lastRevision(record)
  // `--regrade` uses the request of the earlier run, but it starts a new run and does not resume that one.
  const regrade = flags.regrade === undefined ? undefined : await named(flags.regrade)
  const earlier = regrade ?? resumed
  const replayed: FoundRun[] = []
  const planned = await planRun(
    { ...flags, ...set('regrade', regrade) },
    {
      earlier: earlier === null ? null : earlierRun(earlier, flags),
      resumed:
        resumed === null || before === null || record === null
          ? null
          : { revision: before, seed: record.seed, folder: resumed },
      gate: trustGate(flags, output),
      onFound: (found) => replayed.push(found),
    },
  ).finally(() => Promise.all(replayed.map(announce)))
  checkGateNames(gates.gates, namesOf(planned))
  if (resumed !== null && flags.seed !== undefined)
    warn(output, 'a run keeps the seed it was started with: --seed is ignored')
  for (const warning of planned.warnings) warn(output, warning)
  // Reject a key that no case has now, before any request costs money.
  checkKeys(
    flags.by ?? [],
    planned.suites.flatMap(({ cases }) => cases),
  )

  const plan = planOf(planned, flags.shard ?? record?.shard ?? null)
  for (const notice of shardNotices(plan, planned.resolved.budgetUsd.value))
    output.err(`${output.colors.yellow(notice)}\n`)
  if (flags.dryRun === true) {
    output.out(dryRun(planned, plan, output))
    for (const subject of [...planned.subjects, ...planned.judges]) await subject.close()
    await closeGraders()
    return 0
  }
  const folder =
    resumed ??
    flags.output ??
    defaultFolder(planned.resolved.output.value, planned.suites, new Date())
  const recorded: RecordedTrials = resumed === null ? new Map() : await recordedIn(resumed, flags)
  const result = await withSignals(output, async (signal, holdLines) => {
    const progress =
      flags.json === true
        ? jsonProgress(output)
        : humanProgress(output, progressPlan(plan, recorded), () => systemClock.now())
    holdLines(progress)
    try {
      return await run({
        ...optionsOf(flags, planned),
        ...(flags.cache === true ? { cache, ownAnswers: ownAnswers(flags) } : {}),
        folder,
        list: sources.list,
        indexKey,
        freeName: resumed === null && flags.output === undefined,
        resume: resumed !== null,
        signal,
        onEvent: (event: RunEvent) => progress.event(event),
        ready: () => progress.ready(),
      })
    } finally {
      progress.close()
    }
  })
  const { tally, ...ran } = result
  return { ...ran, spentUsd: tally.spentUsd }
}

const set = <K extends string, V>(key: K, value: V | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { [P in K]?: V }

/**
 * Returns the options of the run. Settings that override the suites are set directly, settings that the suites override
 * go into `defaults`.
 */
function optionsOf(flags: RunFlags, planned: PlannedRun) {
  const { resolved, request } = planned
  const { trials, passK, timeoutMs, agentTimeoutMs } = resolved.cases
  const strong = <T>(all: readonly Setting<T>[]): T | undefined =>
    strongest(all.filter(({ place }) => isStronger({ place }, { place: 'case' })))?.value
  const weak = <T>(all: readonly Setting<T>[]): T | undefined =>
    strongest(all.filter(({ place }) => isStronger({ place: 'suite' }, { place })))?.value
  return {
    suites: planned.suites,
    subjects: planned.subjects,
    judges: planned.judges,
    ...set('regrade', request.regrade),
    ...set('trials', strong(trials)),
    ...set('passK', strong([passK])),
    ...set('timeoutMs', strong(timeoutMs)),
    defaults: {
      ...set('trials', weak(trials)),
      ...set('passK', weak([passK])),
      ...set('timeoutMs', weak(timeoutMs)),
      ...set('agentTimeoutMs', weak(agentTimeoutMs)),
    },
    request: requestJson(request),
    prices: planned.prices,
    ...set('access', accessOf(planned)),
    ...set('consent', (planned.trust.consent ?? undefined) as Json | undefined),
    ...set('experiment', planned.experiment),
    ...set('shard', flags.shard),
    seed: resolved.seed.value,
    ...set('parallelism', resolved.parallelism?.value),
    ...set('budgetUsd', resolved.budgetUsd.value ?? undefined),
    ...set('keepWorkspaces', flags.keep),
    gradeTimeoutMs: resolved.gradeTimeoutMs.value,
    maxErrors: resolved.maxErrors.value,
    maxWaitMs: resolved.maxWaitMs.value,
    ...set('sandbox', flags.sandbox),
    sandboxGraders: planned.trust.sandboxGraders,
    offlineSetup: planned.trust.offlineSetup,
    ...set('keepErrors', flags.keepErrors),
    ...set('allowChanged', flags.allowChanged),
    ...set('acceptEdited', flags.acceptEdited),
  }
}

function accessOf({ trust }: PlannedRun): readonly AccessRecord[] | undefined {
  const access = trust.uses.filter(isShown).map(accessRecord)
  return access.length === 0 ? undefined : access
}

/** Throws if `--output` is an existing file, which cannot be used as a folder. */
function checkOutput(output: string | undefined): void {
  if (output === undefined) return
  if (output.trim() === '') throw new UsageError('--output names no folder')
  const there = statSync(output, { throwIfNoEntry: false })
  if (there !== undefined && !there.isDirectory())
    throw new UsageError(`--output ${output} is a file; name a folder that is new or empty`)
}

/**
 * The first signal stops the run gently. The second one exits at once, which loses no recorded trial, because every
 * recorded trial is already on disk.
 */
async function withSignals<T>(
  output: Output,
  work: (signal: AbortSignal, hold: (progress: Progress) => void) => Promise<T>,
): Promise<T> {
  const stop = new AbortController()
  let progress: Progress | null = null
  const onSignal = (): void => {
    if (stop.signal.aborted) process.exit(130)
    progress?.close()
    output.err('stopping: trials under way may end (once more to leave at once)\n')
    stop.abort()
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, onSignal)
  try {
    return await work(stop.signal, (live) => {
      progress = live
    })
  } finally {
    for (const signal of signals) process.off(signal, onSignal)
  }
}

/** Returns, by subject, the counts of trials that need not be run again. */
async function recordedIn(folder: string, flags: RunFlags): Promise<RecordedTrials> {
  const bySubject = new Map<string, Recorded>()
  const read = { ...flags, indexKey }
  for (const { subject, counts } of (await summarize(folder, read)).subjects) {
    const { passed, failed, unscored } = counts
    const errored = flags.keepErrors === true ? counts.errored : 0
    const before = bySubject.get(subject) ?? NONE_RECORDED
    bySubject.set(subject, {
      done: before.done + passed + failed + unscored + errored,
      scored: before.scored + passed + failed,
      passed: before.passed + passed,
      errored: before.errored + errored,
    })
  }
  return bySubject
}

/** Prints the summary from the log, so that it is the same as that of `assay report`. Returns the exit code. */
async function told(
  result: RanRun,
  flags: RunFlags,
  gates: GatesAsked,
  output: Output,
): Promise<number> {
  const read = await readRun(result.folder, { indexKey, recorded: result.recorded })
  const verdict = verdictOf(result.ended, read.report.counts, {
    tooManyErrors: result.tooManyErrors,
    allowPartial: flags.allowPartial ?? false,
    budget: result.budget,
  })
  const faults = verdict.code === 0 ? [] : [verdict.said ?? 'it did not end normally']
  const report = withBreakdowns(withGates(read.report, gates, faults), flags.by ?? [])
  const source = { ...read, report }
  const say = flags.json === true ? output.err : output.out
  say(renderReport(report, { ...output, details: flags.details ?? false }))
  const folder = shown(result.folder)
  if (verdict.said !== null) output.err(`${output.colors.yellow(verdict.said)}\n`)
  say(`\nrun folder  ${folder}\n`)
  if (flags.keep === true) say(`kept        ${join(folder, 'workspaces')}, as agents left it\n`)
  const next = (label: string, command: string): void =>
    say(`${label.padEnd(10)}  ${program()} ${command}\n`)
  if (verdict.resumable && isGradable(result, report))
    next(
      'continue',
      `run --resume ${quoted(folder)}${result.ended === 'budget' ? moreMoney(result) : ''}${gateWords(flags)}`,
    )
  if (report.counts.failed + report.counts.errored > 0) next('why', `show ${quoted(folder)}`)
  for (const path of flags.report ?? []) {
    await writeReport(formatFor(path), source, path)
    say(`wrote       ${plain(path)}\n`)
  }
  if (flags.report === undefined) next('as a page', `report ${quoted(folder)} --report report.html`)
  return verdict.code === 0 ? (report.gates?.outcome.code ?? 0) : verdict.code
}

/** The gates as arguments. A resumed run does not remember them, so the suggested command repeats them. */
function gateWords(flags: RunFlags): string {
  const words = [
    ...(flags.failUnder ?? []).flatMap((text) => ['--fail-under', quoted(text)]),
    ...(flags.failOver ?? []).flatMap((text) => ['--fail-over', quoted(text)]),
    ...(flags.gates === undefined ? [] : ['--gates', quoted(flags.gates)]),
    ...(flags.requirePass === true ? ['--require-pass'] : []),
    ...(flags.strict === true ? ['--strict'] : []),
  ]
  return words.map((word) => ` ${word}`).join('')
}

const namesOf = ({ suites, subjects }: PlannedRun) => ({
  suites: suites.map(({ id }) => id),
  subjects: subjects.map(({ id }) => id),
  cases: [...new Set(suites.flatMap(({ cases }) => cases.map(({ id }) => id)))],
  tags: [...new Set(suites.flatMap(({ cases }) => cases.flatMap(({ tags }) => tags)))],
})

/**
 * Whether resuming could grade more trials. A regraded run can do so only if it was stopped or if grading itself
 * failed.
 */
const isGradable = ({ record, ended }: RanRun, { reasons }: Report): boolean =>
  record.regrades === undefined ||
  ended !== 'complete' ||
  reasons.some(({ outcome, code }) => outcome === 'errored' && GRADING.has(code))

const GRADING: ReadonlySet<string> = new Set([
  'judge-failed',
  'grader-error',
  'sandbox-failed',
  'tests-at-fault',
])

/**
 * Cached answers without the user's signature may have come with the folder. They are used only if the user trusts it.
 */
const ownAnswers = ({ trust }: RunFlags): OwnAnswers => ({
  sign: ownSigner(process.env),
  takesOthers: trust === true || isTrustedByEnvironment(process.env),
})

/** The name of the command in suggestions. If npm started Assay, `assay` may not be on the PATH. */
const program = (): string => (process.env['npm_command'] === undefined ? 'assay' : 'npx assay')

/** Returns a larger `--budget` to suggest. With the same budget, a resumed run would stop at once. */
function moreMoney({ record, spentUsd }: RanRun): string {
  const { budgetUsd } = lastRevision(record)
  const enough = 2 * Math.max(budgetUsd ?? 0, spentUsd)
  return budgetUsd === null ? '' : ` --budget ${Number(enough.toPrecision(2))}`
}

/** Returns the folder for display: relative if it is below the working directory. */
function shown(folder: string): string {
  const path = relative('.', folder)
  return plain(path.startsWith('..') || path === '' ? folder : path)
}
