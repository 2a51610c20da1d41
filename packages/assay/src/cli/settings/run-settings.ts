/**
 * Every setting of a run, together with the place that its value came from: flags, the record of a resumed run, the
 * experiment or run file, assay.toml, or the defaults. Cases and suites can set values too. These are added later,
 * for each case (run/precedence.ts).
 */
import path from 'node:path'
import { A_DURATION, parseDuration, UsageError } from '@assay/contract'
import type { Revision } from '../../log/index.ts'
import { RUN_DEFAULTS, strongest, type CaseSettings, type Setting } from '../../run/index.ts'
import { RUNS_FOLDER } from './find-run.ts'
import type { Request, RunFlags } from './run-flags.ts'
import { pathFrom } from './settings-file.ts'
import type { Settings } from './settings.ts'

/** The settings in a file, and the folder to which the file's paths are relative. */
export interface SettingsFile {
  readonly settings: Settings
  readonly place: 'file' | 'project'
  readonly file: string
  readonly folder: string
}

export interface SettingSources {
  readonly flags: RunFlags
  /** The settings files. The one with the highest precedence comes first. */
  readonly files: readonly SettingsFile[]
  readonly isExperiment: boolean
  /** The request of the run that is resumed or graded again. */
  readonly before: Request | null
  /** Set only for a run that is resumed. */
  readonly resumed: {
    readonly revision: Revision
    readonly seed: number
    readonly folder: string
  } | null
}

export interface RunSettings {
  readonly cases: CaseSettings
  /**
   * The temperature. If it comes from the command line, it applies to all models. Otherwise it applies only to
   * models that do not set their own.
   */
  readonly temperature: Setting<number> | null
  readonly gradeTimeoutMs: Setting<number>
  readonly parallelism: Setting<number> | null
  readonly budgetUsd: Setting<number | null>
  readonly seed: Setting<number>
  readonly maxErrors: Setting<number>
  readonly maxWaitMs: Setting<number>
  /** The path of the run folder, or of the folder in which the run folder is created. */
  readonly output: Setting<string>
  readonly prices: Setting<string | null>
}

export const STARTED = 'the run as it was started'
export const REGRADED = 'the run that is graded again'
const EXPERIMENT_TRIALS = 10

export function resolveSettings(sources: SettingSources): RunSettings {
  const { flags, before, resumed } = sources
  const says = valuesOf(sources)
  const first = <T>(fallback: T, ...given: (readonly Setting<T>[])[]): Setting<T> =>
    strongest(given.flat()) ?? { value: fallback, place: 'default', from: 'default' }
  const record = before === null ? [] : recorded(before.temperature ?? undefined)
  return {
    cases: caseSettings(sources),
    temperature: strongest([
      ...said(flags.temperature, '--temperature'),
      ...record,
      ...says('temperature'),
    ]),
    gradeTimeoutMs: first<number>(
      RUN_DEFAULTS.gradeTimeoutMs,
      durations(said(flags.gradeTimeout, '--grade-timeout')),
      recorded(resumed?.revision.gradeTimeoutMs),
      durations(says('gradeTimeout')),
    ),
    parallelism: strongest([
      ...said(flags.parallelism, '--parallelism'),
      ...recorded(resumed?.revision.parallelism),
      ...says('parallelism'),
    ]),
    // Resuming without `--budget` must not remove the run's budget.
    budgetUsd: first<number | null>(
      null,
      said(flags.budget, '--budget'),
      recorded(resumed?.revision.budgetUsd),
      says('budget'),
    ),
    // A resumed run keeps its seed.
    seed: first<number>(
      RUN_DEFAULTS.seed,
      resumed === null ? said(flags.seed, '--seed') : recorded(resumed.seed),
      says('seed'),
    ),
    maxErrors: first<number>(
      RUN_DEFAULTS.maxErrors,
      said(flags.maxErrors, '--max-errors'),
      says('maxErrors'),
    ),
    maxWaitMs: first<number>(
      RUN_DEFAULTS.maxWaitMs,
      durations(said(flags.maxWait, '--max-wait')),
      durations(says('maxWait')),
    ),
    output: first(
      path.join(projectOf(sources), RUNS_FOLDER),
      resumed === null ? said(flags.output, '--output') : recorded(resumed.folder),
      says('output'),
    ),
    prices: first<string | null>(
      null,
      said(flags.prices, '--prices'),
      recorded(before?.prices ?? undefined),
      sources.files.flatMap(({ settings, place, file, folder }) =>
        settings.prices === undefined
          ? []
          : [{ value: pathFrom(folder, settings.prices), place, from: file }],
      ),
    ),
  }
}

/** Returns the folder of assay.toml, or the working directory if there is none. */
const projectOf = ({ files }: SettingSources): string =>
  files.find(({ place }) => place === 'project')?.folder ?? '.'

/**
 * Returns settings that a case may set itself too. The values here come from flags, settings files or the resumed
 * run.
 */
function caseSettings(sources: SettingSources): CaseSettings {
  const { flags, before, resumed, isExperiment } = sources
  const says = valuesOf(sources)
  const passK = strongest<readonly number[]>([
    ...said(flags.passK, '--pass-k'),
    ...(before === null ? says('passK') : kept(before.asked?.passK, before.passK)),
  ])
  const timeouts = durations(said(flags.timeout, '--timeout'))
  const { timeoutMs, agentTimeoutMs } = resumed?.revision ?? {}
  const fallback = (value: number): Setting<number> => ({
    value,
    place: 'default',
    from: 'default',
  })
  const outside = (recordedMs: number | undefined): Setting<number>[] =>
    resumed === null
      ? [...timeouts, ...durations(says('timeout'))]
      : [...timeouts, ...kept(before?.asked?.timeoutMs, recordedMs)]
  return {
    trials: [
      ...said(flags.trials, '--trials'),
      ...(before === null ? says('trials') : kept(before.asked?.trials, before.trials)),
      ...(isExperiment ? [fallback(EXPERIMENT_TRIALS)] : []),
    ],
    passK: passK ?? { value: RUN_DEFAULTS.passK, place: 'default', from: 'default' },
    timeoutMs: [...outside(timeoutMs), fallback(RUN_DEFAULTS.timeoutMs)],
    agentTimeoutMs: [
      // The general default timeout does not apply to agents, because they have their own default.
      ...outside(agentTimeoutMs ?? (timeoutMs === RUN_DEFAULTS.timeoutMs ? undefined : timeoutMs)),
      fallback(RUN_DEFAULTS.agentTimeoutMs),
    ],
    ...(flags.regrade === undefined && before?.regrade === undefined
      ? {}
      : { recordedTrials: REGRADED }),
  }
}

/** Returns the values of one setting in the settings files. */
const valuesOf =
  ({ files }: SettingSources) =>
  <K extends keyof Settings>(key: K): Setting<NonNullable<Settings[K]>>[] =>
    files.flatMap(({ settings, place, file }) => {
      const value = settings[key]
      return value === undefined || value === null ? [] : [{ value, place, from: file }]
    })

const said = <T>(value: T | undefined, flag: string): Setting<T>[] =>
  value === undefined ? [] : [{ value, place: 'flag', from: flag }]

const recorded = <T>(value: T | undefined): Setting<T>[] =>
  value === undefined ? [] : [{ value, place: 'record', from: STARTED }]

/**
 * Returns the value that a setting had in the earlier run. If a flag or a run file set it there, it overrides the
 * settings files. Otherwise it only overrides assay.toml, because it came from assay.toml or was a default.
 */
const kept = <T>(asked: T | undefined, inForce: T | undefined): Setting<T>[] =>
  asked !== undefined
    ? recorded(asked)
    : inForce === undefined
      ? []
      : [{ value: inForce, place: 'project', from: STARTED }]

const durations = (given: readonly Setting<string | number>[]): Setting<number>[] =>
  given.map((one) => ({ ...one, value: milliseconds(one.from, one.value) }))

/** Parses a duration. If it is not valid, throws a `UsageError` that says where the value came from. */
export function milliseconds(from: string, value: string | number): number {
  const text = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value
  const ms = parseDuration(text)
  if (ms === null) throw new UsageError(`${from} takes ${A_DURATION}, got "${value}"`)
  return ms
}
