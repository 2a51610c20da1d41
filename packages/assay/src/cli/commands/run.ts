/** `assay run`: plans a run, runs it with progress, prints the summary and returns the exit code. */
import { statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { type Json, type Suite, UsageError, plain } from '@assay/contract'
import { closeGraders } from '../../grade/index.ts'
import { checkOwnFolder, lastRevision, readRecord, type AccessRecord } from '../../log/index.ts'
import {
  formatFor,
  readRun,
  renderReport,
  summarize,
  writeReport,
  type Report,
} from '../../report/index.ts'
import { counted, dollars, table } from '../../text/index.ts'
import {
  isStronger,
  run,
  strongest,
  systemClock,
  trialsOf,
  type RunEvent,
  type RunResult,
  type Setting,
} from '../../run/index.ts'
import { accessRecord, isShown, planLines } from '../../trust/index.ts'
import { takeEnvFile } from '../settings/env-file.ts'
import { earlierRun } from '../settings/earlier-run.ts'
import { experimentLines } from '../output/experiment-lines.ts'
import { runAnnouncer } from '../output/announce-run.ts'
import { findRun, runSources, type FoundRun } from '../settings/find-run.ts'
import { warn, type Output } from '../output/output.ts'
import { defaultFolder, planRun, requestJson } from '../settings/plan-run.ts'
import type { PlannedRun } from '../settings/planned-run.ts'
import type { RunFlags } from '../settings/run-flags.ts'
import { judgeLines } from '../settings/plan-judges.ts'
import { settingLines } from '../settings/setting-lines.ts'
import {
  humanProgress,
  jsonProgress,
  NONE_RECORDED,
  type Progress,
  type Recorded,
} from '../output/progress.ts'
import { trustGate } from '../trust/require-trust.ts'
import { verdictOf } from '../output/exit-status.ts'

const CACHE_FOLDER = join('.assay', 'cache')

export async function runCommand(flags: RunFlags, output: Output): Promise<number> {
  await takeEnvFile(flags.envFile, output)
  checkOutput(flags.output)
  // Fail on a file name without a known format now, before any request costs money.
  for (const path of flags.report ?? []) formatFor(path)
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
  // `--regrade` takes over the request of the earlier run, but it starts a new run and does not continue that one.
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
  if (resumed !== null && flags.seed !== undefined)
    warn(output, 'a run keeps the seed it was started with: --seed is ignored')
  for (const warning of planned.warnings) warn(output, warning)

  if (flags.dryRun === true) {
    output.out(dryRun(planned, output))
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
        : humanProgress(output, progressPlan(planned, recorded), () => systemClock.now())
    holdLines(progress)
    try {
      return await run({
        ...optionsOf(flags, planned),
        ...set('cache', flags.cache === true ? cache : undefined),
        folder,
        list: sources.list,
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
  return told(result, flags, output)
}

const set = <K extends string, V>(key: K, value: V | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { [P in K]?: V }

/**
 * Returns the options of the run. Settings stronger than the suites go into the options themselves, weaker ones into
 * their `defaults`.
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

/** Throws if `--output` is a file: it cannot be used as a folder. */
function checkOutput(output: string | undefined): void {
  if (output === undefined) return
  if (output.trim() === '') throw new UsageError('--output names no folder')
  const there = statSync(output, { throwIfNoEntry: false })
  if (there !== undefined && !there.isDirectory())
    throw new UsageError(`--output ${output} is a file; name a folder that is new or empty`)
}

/** The first signal stops the run gently. The second one exits at once: every recorded trial is already on disk. */
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

type RecordedTrials = ReadonlyMap<string, Recorded>

/** Returns the trials that need not be run again, by subject. */
async function recordedIn(folder: string, flags: RunFlags): Promise<RecordedTrials> {
  const bySubject = new Map<string, Recorded>()
  for (const { subject, counts } of (await summarize(folder, flags)).subjects) {
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

function progressPlan(plan: PlannedRun, recorded: RecordedTrials) {
  const { suites, subjects } = plan
  const perSubject = suites
    .flatMap((suite) => trialsIn(plan, suite))
    .reduce((sum, trials) => sum + trials, 0)
  return {
    subjects: subjects.map(({ id }) => ({
      id,
      planned: perSubject,
      recorded: recorded.get(id) ?? NONE_RECORDED,
    })),
  }
}

/** Prints the summary from the log, so that it is the same as in `assay report`. Returns the exit code. */
async function told(result: RunResult, flags: RunFlags, output: Output): Promise<number> {
  const source = await readRun(result.folder)
  const { report } = source
  const say = flags.json === true ? output.err : output.out
  say(renderReport(report, output))
  const verdict = verdictOf(result.ended, report.counts, {
    tooManyErrors: result.tooManyErrors,
    allowPartial: flags.allowPartial ?? false,
    budget: result.budget,
  })
  const folder = shown(result.folder)
  if (verdict.said !== null) output.err(`${output.colors.yellow(verdict.said)}\n`)
  say(`\nrun folder  ${folder}\n`)
  if (flags.keep === true) say(`kept        ${join(folder, 'workspaces')}, as agents left it\n`)
  const next = (label: string, command: string): void =>
    say(`${label.padEnd(10)}  ${program()} ${command}\n`)
  if (verdict.resumable && isGradable(result, report))
    next(
      'continue',
      `run --resume ${quoted(folder)}${result.ended === 'budget' ? moreMoney(result) : ''}`,
    )
  if (report.counts.failed + report.counts.errored > 0) next('why', `show ${quoted(folder)}`)
  for (const path of flags.report ?? []) {
    await writeReport(formatFor(path), source, path)
    say(`wrote       ${plain(path)}\n`)
  }
  if (flags.report === undefined) next('as a page', `report ${quoted(folder)} --report report.html`)
  return verdict.code
}

/** Whether resuming could grade more. A regrading can only do so if it was stopped or if grading itself failed. */
const isGradable = ({ record, ended }: RunResult, { reasons }: Report): boolean =>
  record.regrades === undefined ||
  ended !== 'complete' ||
  reasons.some(({ outcome, code }) => outcome === 'errored' && GRADING.has(code))

const GRADING: ReadonlySet<string> = new Set([
  'judge-failed',
  'grader-error',
  'sandbox-failed',
  'tests-at-fault',
])

/** The name of the command to suggest: if npm started Assay, `assay` itself is not on the PATH. */
const program = (): string => (process.env['npm_command'] === undefined ? 'assay' : 'npx assay')

const quoted = (path: string): string =>
  /^[\w./+:@-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`

/** Returns a larger `--budget` to suggest. A run that stopped at its budget would stop there again. */
function moreMoney({ record, tally }: RunResult): string {
  const { budgetUsd } = lastRevision(record)
  const enough = 2 * Math.max(budgetUsd ?? 0, tally.spentUsd)
  return budgetUsd === null ? '' : ` --budget ${Number(enough.toPrecision(2))}`
}

/** Returns the folder for display: relative if it is below the working directory. */
function shown(folder: string): string {
  const path = relative('.', folder)
  return plain(path.startsWith('..') || path === '' ? folder : path)
}

/** Returns the number of trials of each case of a suite, in order. */
const trialsIn = ({ resolved }: PlannedRun, suite: Suite): number[] =>
  suite.cases.map((one) => trialsOf(resolved.cases, suite, one).value)

function dryRun(plan: PlannedRun, output: Output): string {
  const { suites, subjects, judges, experiment, trust } = plan
  const rows = suites.flatMap((suite) =>
    subjects.map((subject) => {
      const trials = trialsIn(plan, suite)
      const planned = trials.reduce((sum, n) => sum + n, 0)
      const estimates = suite.cases.map((one, i) => {
        const usd = subject.estimateUsd(one)
        return usd === null ? Number.NaN : usd * (trials[i] as number)
      })
      const usd = estimates.reduce((sum, n) => sum + n, 0)
      return [
        plain(subject.id),
        plain(suite.id),
        String(suite.cases.length),
        String(planned),
        Number.isNaN(usd) ? 'unknown' : `≤ ${dollars(usd)}`,
      ]
    }),
  )
  const lines = table(
    [
      { title: 'subject', align: 'left' },
      { title: 'suite', align: 'left' },
      { title: 'cases', align: 'right' },
      { title: 'trials', align: 'right' },
      { title: 'cost', align: 'right' },
    ],
    rows,
    output.width,
  )
  const total = rows.reduce((sum, row) => sum + Number(row[3]), 0)
  const tiers = experiment === undefined ? [] : experimentLines(experiment, output.width)
  const trialsOfCase = new Map(
    suites.flatMap((suite) => {
      const trials = trialsIn(plan, suite)
      return suite.cases.map((one, i) => [one, trials[i] ?? 0] as const)
    }),
  )
  const judging = judgeLines(
    suites,
    judges,
    (one) => (trialsOfCase.get(one) ?? 0) * subjects.length,
  )
  const access = planLines(trust.uses, trust.allows)
  const settings = settingLines(plan, output.width)
  return `${[...lines, ...tiers, ...judging, ...access, ...settings, ''].join('\n')}\n${counted(total, 'trial')} planned; nothing was run\n`
}
