/** What a run is told: options with their defaults, checked before anything starts. */
import { type Json, type Subject, type Suite, UsageError } from '@assay/contract'
import type { AccessRecord, ExperimentRecord } from '../log/index.ts'
import type { SandboxChoice } from '@assay/sandbox'
import type { RetryPolicy } from './schedule/backoff.ts'
import type { Clock } from './schedule/clock.ts'
import type { RunEvent } from './schedule/events.ts'
import { checkTraces } from './grade/check-traces.ts'
import { checkJudges } from './grade/judges.ts'
import { strongest, type CaseSettings, type Setting } from './precedence.ts'
import { worksInWorkspace } from './workspaces.ts'

export interface RunOptions {
  readonly suites: readonly Suite[]
  readonly subjects: readonly Subject[]
  /** Whom the cases' judge graders name; see docs/judges.md. */
  readonly judges?: readonly Subject[]
  /**
   * The folder of an earlier run: its answers are graded again, and no subject is asked. The command line
   * makes suites and subjects for it (resume/regrade.ts).
   */
  readonly regrade?: string
  /** The run folder: new or empty, unless the run is resumed. */
  readonly folder: string
  /** A list of a project's runs to add this one to, such as `.assay/runs.jsonl`; none unless given. */
  readonly list?: string
  /** Where `folder` is taken, take the next free name: `folder-2`, `folder-3` … */
  readonly freeName?: boolean
  /** For every case, whatever it says itself. Unless given: what the case says, else the largest of `passK`. */
  readonly trials?: number
  /** Without `trials`, a case that asks for fewer trials than the largest of these gets that many. */
  readonly passK?: readonly number[]
  readonly seed?: number
  /** Requests at once for each provider, in place of what the provider starts with and grows to. */
  readonly parallelism?: number
  readonly budgetUsd?: number
  /** A provider that asks to be left alone for longer is given up: its trials are errored, others go on. */
  readonly maxWaitMs?: number
  /** For a subject's answer, whatever the case says. Unless given: what the case says, else 120 s. */
  readonly timeoutMs?: number
  /** For a subject that works in a workspace; `timeoutMs` where that is given, else 30 minutes. */
  readonly agentTimeoutMs?: number
  /** For what neither these options nor the cases say. */
  readonly defaults?: Pick<RunOptions, 'trials' | 'passK' | 'timeoutMs' | 'agentTimeoutMs'>
  /** For each grader. */
  readonly gradeTimeoutMs?: number
  /** Share of planned trials that may error before the run counts as invalid and stops. */
  readonly maxErrors?: number
  /** Where code is run; bubblewrap unless given. `none` runs it as the user, which is stamped on the run. */
  readonly sandbox?: SandboxChoice
  /**
   * Whether all graders that are programs of the suite (`custom`, `program`) run in a sandbox, as those do whose
   * case asks for it: true for a folder that is not trusted. Suites are read with the same choice (`LoadOptions`).
   */
  readonly sandboxGraders?: boolean
  /** Whether setup commands run without network: true for a folder that is not trusted. */
  readonly offlineSetup?: boolean
  /** Leave the folders that agents worked in, below the run folder, for looking at. */
  readonly keepWorkspaces?: boolean
  /** Continue the run in `folder`. */
  readonly resume?: boolean
  /** On resume, leave errored trials as they are. */
  readonly keepErrors?: boolean
  /** On resume, accept suites and subjects that have changed. */
  readonly allowChanged?: boolean
  /** On resume and regrade, go on from a record that something else than Assay changed. The run says so for ever. */
  readonly acceptEdited?: boolean
  /** A folder of answers kept between runs; none unless given. */
  readonly cache?: string
  /** Aborts to stop gently: no new trials, `graceMs` for those under way. */
  readonly signal?: AbortSignal
  readonly graceMs?: number
  readonly onEvent?: (event: RunEvent) => void
  /**
   * Asked after each trial. While its promise is open no new trial starts, so that events do not pile up
   * for a receiver that takes them slowly. Null where the receiver has kept up.
   */
  readonly ready?: () => Promise<void> | null
  readonly clock?: Clock
  readonly retry?: RetryPolicy
  /** What the user asked for, kept in the record. */
  readonly request?: Json
  /** Where prices came from, kept in the record. */
  readonly prices?: string
  /** Where subjects are tiers: their order, and how they are graded. Kept in the record. */
  readonly experiment?: ExperimentRecord
  /** What the run may start and contact, kept in the record. */
  readonly access?: readonly AccessRecord[]
  /** What the user's own command line named, kept in the record. */
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

/** Options and defaults together: for a case that says nothing itself. */
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

/** What the options say about settings that a case may have too. */
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

/** Throws a `UsageError` for what cannot be done. */
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
  for (const ks of [options.passK, options.defaults?.passK]) {
    if (ks?.length === 0) throw new UsageError('pass-k must be at least one number')
    for (const k of ks ?? []) whole('pass-k', k, 1)
  }
  const { budgetUsd, maxErrors, maxWaitMs } = options
  if (maxWaitMs !== undefined && !(maxWaitMs > 0))
    throw new UsageError(`max-wait must be more than 0 ms, got ${maxWaitMs}`)
  if (budgetUsd !== undefined && !(budgetUsd >= 0))
    throw new UsageError(`budget must be at least 0 dollars, got ${budgetUsd}`)
  if (maxErrors !== undefined && !(maxErrors >= 0 && maxErrors <= 1))
    throw new UsageError(`max-errors must be a share from 0 to 1, got ${maxErrors}`)
  if (budgetUsd !== undefined) checkHeld(options)
}

/** A budget can be held where every request says beforehand what it may cost. */
function checkHeld({ suites, subjects, judges = [] }: RunOptions): void {
  for (const suite of suites)
    for (const one of suite.cases) {
      const open = [...subjects, ...judges].find((subject) => subject.estimateUsd(one) === null)
      if (open === undefined) continue
      const acts =
        subjects.includes(open) && (worksInWorkspace(open, one) || open.takesAllTurns === true)
      throw new UsageError(
        acts
          ? `a budget cannot be held: what ${open.id} may spend on case ${one.id} of ${suite.id} is not known. Give that case limits.usd, or leave --budget out`
          : `a budget cannot be held: the price of ${open.id} is not known. Give it in a price file, or leave --budget out`,
      )
    }
}

/** The options that are set: an undefined one must not hide a default. */
function defined(options: Partial<RunOptions>): Partial<RunOptions> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}
