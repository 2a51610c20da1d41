/** `assay run`: plans a run, runs it, shows progress, prints the summary and returns the exit code. */
import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { UsageError } from '@assay/contract'
import { indexKey } from '../../../environment/index.ts'
import { closeGraders } from '../../../grade/index.ts'
import { checkOwnFolder, lastRevision, readRecord } from '../../../log/index.ts'
import {
  formatFor,
  checkKeys,
  checkReportPath,
  checkGateNames,
  suiteFacts,
  summarize,
  type GatesAsked,
} from '../../../report/index.ts'
import {
  run,
  systemClock,
  type Engine,
  type OwnAnswers,
  type RunEvent,
} from '../../../run/index.ts'
import { isTrustedByEnvironment, ownSigner } from '../../../trust/index.ts'
import { checkWrittenHere } from '../../../trust/root.ts'
import { takeEnvFile } from '../../settings/env-file.ts'
import { earlierRun } from '../../settings/earlier-run.ts'
import { runAnnouncer } from '../../output/announce-run.ts'
import { findRun, findRunToChange, runSources, type FoundRun } from '../../settings/find-run.ts'
import { gatesAsked } from '../../settings/gates-asked.ts'
import { warn, type Output } from '../../output/output.ts'
import { defaultFolder, planRun } from '../../settings/plan-run.ts'
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
import {
  dryRun,
  planOf,
  progressPlan,
  shardNotices,
  type RecordedTrials,
} from './planned-trials.ts'
import { printRun, type RanRun } from './print-run.ts'
import { optionsOf, set } from './run-options.ts'
import type { RunViewer } from './run-viewer.ts'

const CACHE_FOLDER = join('.assay', 'cache')

export async function runCommand(flags: RunFlags, output: Output): Promise<number> {
  // Refuse wrong gates now, before any request costs money.
  const gates = await gatesAsked(flags)
  const viewers: RunViewer[] = []
  try {
    const done = await planAndRun(flags, gates, output, undefined, viewers)
    return typeof done === 'number' ? done : await printRun(done, flags, gates, output)
  } finally {
    for (const viewer of viewers) await viewer.end()
  }
}

/**
 * Plans the run and runs it. Returns an exit code instead if nothing is run, for example with `--dry-run`. `narrow`
 * may return a part of the plan, or null to run nothing.
 */
export async function planAndRun(
  flags: RunFlags,
  gates: GatesAsked,
  output: Output,
  narrow: (planned: PlannedRun) => PlannedRun | null = (planned) => planned,
  viewers: RunViewer[] = [],
): Promise<RanRun | number> {
  await takeEnvFile(flags.envFile, output)
  checkOutput(flags.output)
  if (flags.store !== undefined) checkWrittenHere(flags.store)
  // Check the report paths now, before any request costs money. A path without a known format or to a folder that
  // cannot be written is refused.
  for (const path of flags.report ?? []) {
    formatFor(path)
    checkReportPath(path)
    checkWrittenHere(dirname(path))
  }
  const sources = await runSources()
  const cache = join(sources.project, CACHE_FOLDER)
  if (flags.cache === true) for (const one of [dirname(cache), cache]) checkOwnFolder(one)
  const announce = runAnnouncer(output)
  const named = (name: string): Promise<string> => announce(findRun(name, sources))
  const resumed =
    flags.resume === undefined
      ? null
      : await announce(
          findRunToChange(
            flags.resume === true ? (flags.output ?? 'latest') : flags.resume,
            sources,
          ),
        )
  const record = resumed === null ? null : readRecord(resumed, flags)
  const before = record === null ? null : lastRevision(record)
  // `--regrade` uses the request of the earlier run, but it starts a new run and does not resume that one.
  const regrade = flags.regrade === undefined ? undefined : await named(flags.regrade)
  const earlier = regrade ?? resumed
  const replayed: FoundRun[] = []
  const whole = await planRun(
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
  const planned = narrow(whole)
  if (planned === null) return 0
  checkGateNames(gates.gates, namesOf(whole))
  if (resumed !== null && flags.seed !== undefined)
    warn(output, 'a run keeps the seed it was started with: --seed is ignored')
  for (const warning of planned.warnings) warn(output, warning)
  // Refuse keys that no case has, before any request costs money.
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
  const engine = flags.queue === undefined ? undefined : await engineOf(flags, planned, folder)
  const recorded: RecordedTrials = resumed === null ? new Map() : await recordedIn(resumed, flags)
  if (flags.view === true) {
    const { startRunViewer } = await import('./run-viewer.ts')
    viewers.push(await startRunViewer(folder, output))
  }
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
        ...set('engine', engine),
        folder,
        list: sources.list,
        indexKey,
        freeName: resumed === null && flags.output === undefined,
        resume: resumed !== null,
        signal,
        onEvent: (event: RunEvent) => {
          if (event.type === 'start') for (const viewer of viewers) viewer.show(event.folder)
          progress.event(event)
        },
        ready: () => progress.ready(),
      })
    } finally {
      progress.close()
    }
  })
  const { tally, ...ran } = result
  return { ...ran, spentUsd: tally.spentUsd, suiteFacts: suiteFacts(planned.suites) }
}

/** Returns the engine that runs the trials on workers. Its code is loaded only for runs on a queue. */
async function engineOf(flags: RunFlags, planned: PlannedRun, folder: string): Promise<Engine> {
  const { queueEngineFor } = await import('./queue-engine.ts')
  return queueEngineFor(flags, planned, folder)
}

/** Throws if `--output` is an existing file, which cannot be used as a folder. */
function checkOutput(output: string | undefined): void {
  if (output === undefined) return
  if (output.trim() === '') throw new UsageError('--output names no folder')
  const there = statSync(output, { throwIfNoEntry: false })
  if (there !== undefined && !there.isDirectory())
    throw new UsageError(`--output ${output} is a file; name a folder that is new or empty`)
  checkWrittenHere(output)
}

/**
 * Handles signals during a run. The first signal lets the run stop in order. The second one exits at once. No
 * recorded trial is lost, because every recorded trial is already on disk.
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

/** Returns, by subject, how many trials are already recorded and will not run again. */
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

const namesOf = ({ suites, subjects }: PlannedRun) => ({
  suites: suites.map(({ id }) => id),
  subjects: subjects.map(({ id }) => id),
  cases: [...new Set(suites.flatMap(({ cases }) => cases.map(({ id }) => id)))],
  tags: [...new Set(suites.flatMap(({ cases }) => cases.flatMap(({ tags }) => tags)))],
})

/**
 * Decides which cached answers may be used. An answer without the user's signature may have come with the folder
 * from somebody else. It is used only if the user trusts the folder.
 */
const ownAnswers = ({ trust }: RunFlags): OwnAnswers => ({
  sign: ownSigner(process.env),
  takesOthers: trust === true || isTrustedByEnvironment(process.env),
})
