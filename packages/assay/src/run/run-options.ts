/** The options of a run and their defaults. They are checked before anything starts. */
import { type Json, type Subject, type Suite, UsageError } from '@assay/contract'
import {
  answerersOf,
  MOST_SHARDS,
  type AccessRecord,
  type ExperimentRecord,
  type LeftOutRecord,
  type Shard,
} from '../log/index.ts'
import type { SandboxChoice } from '@assay/sandbox'
import type { OwnAnswers } from './resume/answer-cache.ts'
import type { RetryPolicy } from './schedule/backoff.ts'
import type { Clock } from './schedule/clock.ts'
import type { Engine } from './schedule/job.ts'
import type { RunEvent } from './schedule/events.ts'
import { checkTraces } from './grade/check-traces.ts'
import { checkJudges, openJudge } from './grade/judges.ts'
import { strongest, type CaseSettings, type Setting } from './precedence.ts'
import { askedCase } from './trial/asked-case.ts'
import { worksInWorkspace } from './workspaces.ts'

export interface RunOptions {
  readonly suites: readonly Suite[]
  readonly subjects: readonly Subject[]
  /** The judges that judge graders of the cases name. See docs/guides/judges.md. */
  readonly judges?: readonly Subject[]
  /**
   * The folder of an earlier run whose answers are graded again. No subject is asked. For such a run, the command line
   * takes the suites and subjects from resume/regrade.ts.
   */
  readonly regrade?: string
  /** The run folder. It must be new or empty, unless the run is resumed. */
  readonly folder: string
  /**
   * The path of a project's list of runs, such as `.assay/runs.jsonl`, to which this run is added. By default, the run
   * is not added to a list.
   */
  readonly list?: string
  /**
   * Returns the user's key, which signs the index of a large run's log. Without this option, the run writes no index.
   */
  readonly indexKey?: () => Uint8Array | null
  /** A run with more trials than this is large. Default: 20,000. Tests set it lower. */
  readonly smallRun?: number
  /** If true and `folder` already exists, the run uses the next free name: `folder-2`, `folder-3` and so on. */
  readonly freeName?: boolean
  /**
   * The number of trials for every case. It overrides the numbers in the suites. Default: the case's own number, or
   * else the largest of `passK`.
   */
  readonly trials?: number
  /**
   * The values of k for pass@k. If `trials` is not set, every case gets at least as many trials as the largest of them.
   */
  readonly passK?: readonly number[]
  /** The cases in the suites' files that `suites` leaves out. The report mentions them at the top. */
  readonly leftOut?: LeftOutRecord
  readonly seed?: number
  /**
   * Runs only one part of the plan, for example on one of several machines. `index` counts from 1. `mergeParts` joins
   * the parts. A resumed run keeps the part that it was started with.
   */
  readonly shard?: Shard
  /** The number of parallel requests per provider. It replaces both the provider's starting value and its maximum. */
  readonly parallelism?: number
  /** The most requests per second to one provider. By default, there is no limit. */
  readonly rate?: number
  readonly budgetUsd?: number
  /**
   * If a provider asks for a longer wait than this, Assay gives up on it. Its trials are errored, and other trials
   * continue.
   */
  readonly maxWaitMs?: number
  /**
   * The time limit for an answer. It overrides the limits in the suites. Default: the case's own limit, or else 120 s.
   */
  readonly timeoutMs?: number
  /**
   * The time limit for subjects that work in a workspace. The default is `timeoutMs` if that is given, otherwise 30
   * minutes.
   */
  readonly agentTimeoutMs?: number
  /** Values for settings that are set neither by these options nor by the cases. */
  readonly defaults?: Pick<RunOptions, 'trials' | 'passK' | 'timeoutMs' | 'agentTimeoutMs'>
  /** The time limit of each grader. */
  readonly gradeTimeoutMs?: number
  /** The share of planned trials that may be errored. If more are errored, the run stops and counts as invalid. */
  readonly maxErrors?: number
  /**
   * The sandbox in which code runs. The default is bubblewrap. With `none`, code runs as the user without a sandbox,
   * and the run's record says so.
   */
  readonly sandbox?: SandboxChoice
  /**
   * If true, all graders that are programs of the suite (`custom`, `program`) run in a sandbox, even if their case does
   * not ask for it. This is set if the suite's folder is not trusted. The suites must be loaded with the same choice
   * (`LoadOptions`).
   */
  readonly sandboxGraders?: boolean
  /** If true, setup commands have no network. This is set if the suite's folder is not trusted. */
  readonly offlineSetup?: boolean
  /**
   * If true, Assay checks cases with a workspace before the first trial: it grades their reference answers, and
   * workspaces without any work. Default: false. The check is skipped if the run is resumed, graded again or run on
   * workers, and if all subjects are simulated or replayed.
   */
  readonly proveFirst?: boolean
  /** If true, the workspaces of agents are kept below the run folder, so that the user can inspect them. */
  readonly keepWorkspaces?: boolean
  /** If true, the requests of agents to their models are kept with the replies, so that they can be replayed. */
  readonly recordTraffic?: boolean
  /** If true, the run in `folder` is continued. */
  readonly resume?: boolean
  /** If true, a resumed run does not repeat errored trials. */
  readonly keepErrors?: boolean
  /** If true, a run may be resumed although its suites or subjects have changed. */
  readonly allowChanged?: boolean
  /**
   * If true, a run may be resumed or regraded although another program has changed its record. The run is then marked
   * as edited.
   */
  readonly acceptEdited?: boolean
  /** The folder of the answer cache. By default, there is no cache. */
  readonly cache?: string
  /**
   * Recognizes the cached answers that the user's own runs stored. Without it, every answer in the cache folder is
   * used.
   */
  readonly ownAnswers?: OwnAnswers
  /**
   * When this signal aborts, the run stops gently: no new trials start, and trials in progress get `graceMs` to finish.
   */
  readonly signal?: AbortSignal
  readonly graceMs?: number
  readonly onEvent?: (event: RunEvent) => void
  /**
   * Called after each trial. A slow receiver of events returns a promise. No new trial starts until it resolves, so
   * that events do not pile up. A receiver that has kept up returns null.
   */
  readonly ready?: () => Promise<void> | null
  readonly clock?: Clock
  readonly retry?: RetryPolicy
  /** Runs the trials somewhere else, for example on workers. By default, they run in this process. */
  readonly engine?: Engine
  /** What the user asked for. It is stored in the record. */
  readonly request?: Json
  /** Where the prices come from. It is stored in the record. */
  readonly prices?: string
  /**
   * Set for an experiment, whose subjects are tiers: the order of the tiers and how they are graded. Stored in the
   * record.
   */
  readonly experiment?: ExperimentRecord
  /** The programs and addresses that the run may use, stored in the record. */
  readonly access?: readonly AccessRecord[]
  /** The programs and addresses that the user's own command line named, stored in the record. */
  readonly consent?: Json
}

export const RUN_DEFAULTS = {
  passK: [1],
  seed: 1,
  timeoutMs: 120_000,
  agentTimeoutMs: 1_800_000,
  gradeTimeoutMs: 10_000,
  maxErrors: 0.05,
  maxWaitMs: 600_000,
  graceMs: 10_000,
  sandbox: 'auto',
  sandboxGraders: false,
} as const

export type Given = RunOptions & Required<Pick<RunOptions, keyof typeof RUN_DEFAULTS>>

/** Returns the options merged with the defaults. They apply to cases that set nothing themselves. */
export const withDefaults = (options: RunOptions): Given => ({
  ...RUN_DEFAULTS,
  ...defined(options.defaults ?? {}),
  ...options,
  ...defined(options),
  agentTimeoutMs: agentTimeoutOf(options),
})

export const agentTimeoutOf = ({ agentTimeoutMs, timeoutMs, defaults = {} }: RunOptions): number =>
  agentTimeoutMs ??
  timeoutMs ??
  defaults.agentTimeoutMs ??
  defaults.timeoutMs ??
  RUN_DEFAULTS.agentTimeoutMs

/** Returns the values that the options give for those settings that a case may also set. */
export function caseSettings(options: RunOptions): CaseSettings {
  const { defaults = {}, regrade } = options
  const option = <T>(value: T | undefined): Setting<T>[] =>
    value === undefined ? [] : [{ value, place: 'flag', from: 'the options of the run' }]
  const weak = <T>(value: T | undefined): Setting<T>[] =>
    value === undefined ? [] : [{ value, place: 'project', from: 'the defaults of the run' }]
  const last = <T>(value: T): Setting<T> => ({ value, place: 'default', from: 'default' })
  const passK = last<readonly number[]>(RUN_DEFAULTS.passK)
  return {
    trials: [...option(options.trials), ...weak(defaults.trials)],
    passK: strongest([...option(options.passK), ...weak(defaults.passK)]) ?? passK,
    timeoutMs: [
      ...option(options.timeoutMs),
      ...weak(defaults.timeoutMs),
      last(RUN_DEFAULTS.timeoutMs),
    ],
    agentTimeoutMs: [
      ...option(options.agentTimeoutMs ?? options.timeoutMs),
      ...weak(defaults.agentTimeoutMs ?? defaults.timeoutMs),
      last(RUN_DEFAULTS.agentTimeoutMs),
    ],
    ...(regrade === undefined ? {} : { recordedTrials: 'the run that is graded again' }),
  }
}

/** Throws a `UsageError` if an option is invalid or options contradict each other. */
export function checkOptions(options: RunOptions): void {
  const whole = (name: string, value: number | undefined, least: number): void => {
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= least))
      throw new UsageError(`${name} must be a whole number of at least ${least}, got ${value}`)
  }
  whole('trials', options.trials, 1)
  whole('defaults.trials', options.defaults?.trials, 1)
  checkJudges(options.suites, options.judges ?? [])
  checkTraces(options.suites, options.subjects)
  whole('parallelism', options.parallelism, 1)
  whole('seed', options.seed, 0)
  checkShard(options)
  for (const ks of [options.passK, options.defaults?.passK]) {
    if (ks?.length === 0) throw new UsageError('pass-k must be at least one number')
    for (const k of ks ?? []) whole('pass-k', k, 1)
  }
  const { budgetUsd, maxErrors, maxWaitMs, rate } = options
  if (rate !== undefined && !(rate > 0))
    throw new UsageError(`rate must be more than 0 requests per second, got ${rate}`)
  if (maxWaitMs !== undefined && !(maxWaitMs > 0))
    throw new UsageError(`max-wait must be more than 0 ms, got ${maxWaitMs}`)
  if (budgetUsd !== undefined && !(budgetUsd >= 0))
    throw new UsageError(`budget must be at least 0 dollars, got ${budgetUsd}`)
  if (maxErrors !== undefined && !(maxErrors >= 0 && maxErrors <= 1))
    throw new UsageError(`max-errors must be a share from 0 to 1, got ${maxErrors}`)
  if (budgetUsd !== undefined) checkHeld(options)
}

function checkShard({ shard, regrade }: RunOptions): void {
  if (shard === undefined) return
  const { index, of } = shard
  const isWhole = Number.isSafeInteger(index) && Number.isSafeInteger(of)
  if (!isWhole || index < 1 || index > of || of > MOST_SHARDS)
    throw new UsageError(
      `shard must be a part from 1 to the number of parts, such as 3/8, got ${index}/${of}`,
    )
  if (regrade !== undefined)
    throw new UsageError('a part cannot grade answers again: grade the merged run again')
}

/** Throws if the cost of some request cannot be estimated in advance. A budget could not be enforced then. */
function checkHeld({ suites, subjects, judges = [] }: RunOptions): void {
  for (const suite of suites) {
    const answering = answerersOf(suite, subjects)
    for (const one of suite.cases) {
      const open = answering.find(
        (subject) => subject.estimateUsd(askedCase(subject, suite.id, one)) === null,
      )
      if (open !== undefined) {
        const acts = worksInWorkspace(open, one) || open.takesAllTurns === true
        throw new UsageError(
          acts
            ? `a budget cannot be held: what ${open.id} may spend on case ${one.id} of ${suite.id} is not known. Give that case limits.usd, or leave --budget out`
            : `a budget cannot be held: the price of ${open.id} is not known. Give it in a price file, or leave --budget out`,
        )
      }
      const judge = openJudge(one, judges)
      if (judge === null) continue
      throw new UsageError(
        judge.isExploring
          ? `a budget cannot be held: what the judge ${judge.id} may spend on case ${one.id} of ${suite.id} is not known. Give its grader limits.usd, or leave --budget out`
          : `a budget cannot be held: the price of ${judge.id} is not known. Give it in a price file, or leave --budget out`,
      )
    }
  }
}

/** Removes options whose value is undefined. They would otherwise override a default. */
function defined(options: Partial<RunOptions>): Partial<RunOptions> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}
