/** From flags, a run file and assay.toml to what a run needs: suites, subjects and the request they came from. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Json, Subject, Suite } from '../contract.ts'
import { UsageError } from '../errors.ts'
import { checkVary } from '../experiment/index.ts'
import { graders } from '../grade/index.ts'
import type { ExperimentRecord } from '../log/index.ts'
import {
  checkSubjects,
  loadPrices,
  makeSubjects,
  splitSubjects,
  type NamedSubject,
} from '../subject/index.ts'
import { regradable, withJudges } from '../run/index.ts'
import { loadSuites, parseDuration, selectFromSuites } from '../suite/index.ts'
import {
  experimentAmong,
  experimentRecord,
  programsOf,
  withExperiment,
} from './experiment-settings.ts'
import { findRun, runsFolder } from './find-run.ts'
import type { EarlierRun } from './earlier-run.ts'
import { planJudges } from './plan-judges.ts'
import { loadPrograms, passRecordedModules, trustPlan, type PlanTrust } from './plan-trust.ts'
import type { TrustGate } from './require-trust.ts'
import { loadSettings, type LoadedSettings, type Settings } from './settings.ts'

export interface RunFlags {
  readonly suites: readonly string[]
  readonly evalSet?: readonly string[]
  readonly model?: readonly string[]
  readonly models?: readonly string[]
  readonly judge?: readonly string[]
  readonly regrade?: string
  readonly config?: string
  readonly trials?: number
  readonly passK?: readonly number[]
  readonly temperature?: number
  readonly parallelism?: number
  readonly filter?: readonly string[]
  readonly case?: readonly string[]
  readonly output?: string
  readonly seed?: number
  readonly budget?: number
  readonly timeout?: string
  readonly gradeTimeout?: string
  readonly maxErrors?: number
  readonly sandbox?: 'bubblewrap' | 'none'
  readonly keep?: boolean
  readonly resume?: string | true
  readonly keepErrors?: boolean
  readonly allowChanged?: boolean
  readonly allowPartial?: boolean
  readonly cache?: boolean
  readonly prices?: string
  readonly dryRun?: boolean
  readonly trust?: boolean
  readonly report?: readonly string[]
  readonly json?: boolean
}

/** What makes the plan. Kept in the record, so that `--resume` alone can make it again. */
export interface Request {
  readonly suites: readonly string[]
  readonly subjects: readonly string[]
  readonly config: string | null
  readonly filter: readonly string[]
  readonly cases: readonly string[]
  readonly temperature: number | null
  readonly trials: number
  readonly passK: readonly number[]
  readonly prices: string | null
  /** Judges in place of those that the suites name. */
  readonly judges?: readonly string[]
  /** The run whose answers are graded again. */
  readonly regrade?: string
}

export interface PlannedRun {
  readonly suites: readonly Suite[]
  readonly subjects: readonly Subject[]
  readonly judges: readonly Subject[]
  readonly request: Request
  /** Of the run whose answers are graded again. */
  readonly regradedSeed?: number
  readonly settings: Settings
  readonly timeoutMs: number | undefined
  readonly gradeTimeoutMs: number | undefined
  /** Where prices come from, for the record. */
  readonly prices: string
  readonly experiment?: ExperimentRecord
  /** What it starts and contacts. */
  readonly trust: PlanTrust
  /** For people, before anything starts. */
  readonly warnings: readonly string[]
}

/**
 * Throws a `UsageError` for everything that is wrong before a run, a missing key among it, and for what a folder names
 * and the gate does not let pass.
 */
export async function planRun(
  flags: RunFlags,
  earlier: EarlierRun | null,
  gate: TrustGate,
): Promise<PlannedRun> {
  const before = earlier?.request ?? null
  const project = await settingsOf(flags.config ?? before?.config ?? null)
  const files = own([...flags.suites, ...(flags.evalSet ?? [])], before?.suites)
  await passRecordedModules(files, flags, earlier, gate)
  const experiment = await experimentAmong(files, flags)
  const loaded = experiment === null ? project : withExperiment(project, experiment)
  const { settings } = loaded
  const runs = settings.output ?? (await runsFolder())
  // An experiment may have got another tier since; the plan may grow.
  const known =
    before === null || experiment === null ? before : { ...before, subjects: experiment.subjects }
  const request = requestOf(flags, loaded, known, runs)
  const named = namedSubjects(settings)
  const varies = experiment === null ? [] : checkVary(experiment, named)
  const warnings: string[] = experiment === null ? [] : programsOf(experiment)

  // A suite that is a program runs only where the user named it, or where it is a program that names it.
  const loading = { graders, allowModules: experiment === null || experiment.isProgram }
  const seen = await loadSuites(experiment?.suites ?? request.suites, {
    ...loading,
    programs: 'check',
  })
  const trust = await trustPlan(
    {
      ...{ flags, earlier, request, experiment, loaded, named },
      suites: seen.map(({ suite }) => suite),
      judged: withJudges(selected(seen, request), request.judges ?? []),
    },
    gate,
  )
  const read = flags.dryRun === true ? seen : await loadPrograms(seen, loading)
  for (const { warnings: told } of read)
    for (const { file, line, text } of told)
      warnings.push(`${line === undefined ? file : `${file}:${line}`}: ${text}`)
  const chosen = selected(read, request)
  // A flag wins over what a suite says.
  const timed =
    flags.timeout === undefined
      ? chosen
      : chosen.map((suite) => ({
          ...suite,
          cases: suite.cases.map((one) => ({ ...one, timeoutMs: null })),
        }))
  const judged = withJudges(timed, request.judges ?? [])
  const regrading =
    request.regrade === undefined ? null : regradable(request.regrade, judged, flags)
  const suites = regrading?.suites ?? judged
  warnings.push(...(regrading?.warnings ?? []))
  const prices = await loadPrices({ file: request.prices })
  const temperature = request.temperature ?? undefined
  const making = {
    named,
    folder: loaded.folder,
    providers: settings.providers ?? {},
    env: process.env,
    prices,
    findRun: (name: string) => findRun(name, runs),
    lookOnly: flags.dryRun ?? false,
  }
  const judges = await planJudges(suites, making)
  const subjects =
    regrading?.subjects ??
    (await makeSubjects({
      ...making,
      subjects: request.subjects,
      ...(temperature === undefined ? {} : { parameters: { temperature } }),
      ...(settings.temperature === undefined
        ? {}
        : { defaults: { temperature: settings.temperature } }),
    }))
  try {
    checkSubjects(subjects, suites)
  } catch (error) {
    for (const subject of [...subjects, ...judges]) await subject.close()
    throw error
  }
  warnings.push(...cautions(request, subjects))
  return {
    suites,
    subjects,
    judges,
    request,
    ...(regrading === null ? {} : { regradedSeed: regrading.seed }),
    settings,
    timeoutMs: duration('--timeout', flags.timeout ?? settings.timeout),
    gradeTimeoutMs: duration('--grade-timeout', flags.gradeTimeout ?? settings.gradeTimeout),
    prices: JSON.stringify(prices.source),
    ...(experiment === null ? {} : { experiment: experimentRecord(experiment, varies) }),
    trust,
    warnings,
  }
}

const selected = (
  read: readonly { readonly suite: Suite }[],
  { filter, cases }: Request,
): readonly Suite[] =>
  selectFromSuites(
    read.map(({ suite }) => suite),
    { tags: filter, cases },
  )

/** A run file has the shape of assay.toml and wins over it. */
async function settingsOf(config: string | null): Promise<LoadedSettings> {
  const project = await loadSettings({ folder: '.' })
  if (config === null) return project
  const own = await loadSettings({ folder: '.', file: config })
  const { settings: a } = project
  const { settings: b } = own
  return {
    ...own,
    settings: {
      ...a,
      ...b,
      providers: { ...a.providers, ...b.providers },
      subjects: { ...a.subjects, ...b.subjects },
    },
    origins: new Map([...project.origins, ...own.origins]),
  }
}

const own = <T>(given: readonly T[], kept: readonly T[] | undefined): readonly T[] =>
  given.length > 0 ? given : (kept ?? [])

const comma = (values: readonly string[] = []): string[] =>
  values.flatMap((value) => value.split(',')).filter((value) => value !== '')

function requestOf(
  flags: RunFlags,
  { settings, folder }: LoadedSettings,
  before: Request | null,
  runs: string,
): Request {
  const suites = own([...flags.suites, ...(flags.evalSet ?? [])], before?.suites)
  if (suites.length === 0)
    throw new UsageError('name a suite to run: assay run SUITE. `assay init` writes a first one')
  const names = Object.keys(settings.subjects ?? {})
  const split = (text: string): string[] => splitSubjects(text, names)
  const fromSettings = settings.model === undefined ? [] : [settings.model].flat()
  const subjects = own(
    [...(flags.model ?? []), ...(flags.models ?? [])].flatMap(split),
    before?.subjects ?? fromSettings.flatMap(split),
  ).map((subject) => settledReplay(subject, runs))
  const judges = own(
    (flags.judge ?? []).flatMap(split),
    before?.judges ?? [settings.judges ?? []].flat().flatMap(split),
  )
  const regrade = flags.regrade === undefined ? before?.regrade : findRun(flags.regrade, runs)
  if (flags.regrade !== undefined) checkRegrade(flags)
  if (subjects.length === 0 && regrade === undefined)
    throw new UsageError(
      'say who answers: --model provider/model, command:…, replay:… or simulated:pass=0.8. `assay models` lists providers',
    )
  const passK = flags.passK ?? before?.passK ?? settings.passK ?? [1]
  return {
    suites,
    subjects,
    config: flags.config ?? before?.config ?? null,
    filter: own(comma(flags.filter), before?.filter),
    cases: own(comma(flags.case), before?.cases),
    temperature: flags.temperature ?? before?.temperature ?? null,
    trials: flags.trials ?? before?.trials ?? settings.trials ?? Math.max(...passK),
    passK,
    prices:
      flags.prices ??
      before?.prices ??
      (settings.prices === undefined ? null : join(folder, settings.prices)),
    ...(judges.length === 0 ? {} : { judges }),
    ...(regrade === undefined ? {} : { regrade }),
  }
}

/** Recorded answers are what they are: flags about who answers and how often have no meaning. */
function checkRegrade(flags: RunFlags): void {
  const about = ['model', 'models', 'trials', 'temperature', 'resume', 'cache'] as const
  const given = about.find((flag) => flags[flag] !== undefined)
  if (given !== undefined)
    throw new UsageError(
      `--regrade grades the answers that a run has, as many as it has: leave --${given} out`,
    )
}

/** `replay:latest` under the run's own name: what is latest is another run as soon as this one is. */
function settledReplay(subject: string, runs: string): string {
  const [, name = '', choice = ''] = /^replay:\s*([^#]+?)\s*(#.*)?$/s.exec(subject) ?? []
  if (name === '' || existsSync(name) || existsSync(name + choice)) return subject
  return `replay:${findRun(name, runs)}${choice}`
}

function namedSubjects(settings: Settings): Record<string, NamedSubject> {
  return Object.fromEntries(
    Object.entries(settings.subjects ?? {}).map(([name, { timeout, ...rest }]) => {
      const timeoutMs = duration(`timeout of ${name}`, timeout)
      return [name, { ...rest, ...(timeoutMs === undefined ? {} : { timeoutMs }) } as NamedSubject]
    }),
  )
}

function duration(flag: string, value: string | number | undefined): number | undefined {
  if (value === undefined) return undefined
  const text = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value
  const ms = parseDuration(text)
  if (ms === null)
    throw new UsageError(`${flag} takes a duration such as 30s, 2m or 500ms, got "${value}"`)
  return ms
}

/** What is allowed, and probably not meant. */
function cautions({ trials, passK, temperature }: Request, subjects: readonly Subject[]): string[] {
  const most = Math.max(...passK)
  const told: string[] = []
  if (most > trials)
    told.push(
      `pass@${most} needs at least ${most} trials per case and there are ${trials}: it will be missing`,
    )
  else if (most > 1 && most === trials)
    told.push(
      `with as many trials as k, pass@${most} of a case is only 0 or 1: --trials ${2 * most} gives a finer figure`,
    )
  if (trials > 1 && temperature === 0 && subjects.some(({ kind }) => kind === 'model'))
    told.push(`${trials} trials at temperature 0 are mostly the same answer ${trials} times`)
  return told
}

/** Where the run folder goes unless the user says: named for when and what. */
export function defaultFolder(runs: string, suites: readonly Suite[], now: Date): string {
  const time = now.toISOString().replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 15)
  const names = suites.map(({ id }) => id.replaceAll(/[^\w.-]+/g, '-')).join('+')
  return join(runs, `${time}-${names.slice(0, 60)}`)
}

export const requestJson = (request: Request): Json => request as unknown as Json
