/**
 * Turns flags, a run file and assay.toml into a planned run: suites, subjects, settings, and the request that the
 * run's record stores.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { plain, type Json, type Subject, type Suite } from '@assay/contract'
import { exposures, hideSecrets, ownVariables } from '../../environment/index.ts'
import { checkVary, type Experiment } from '../../experiment/index.ts'
import { functionGrader, graders, runsUnsandboxed } from '../../grade/index.ts'
import { checkPlanSize } from '../../log/index.ts'
import { checkSubjects, loadPrices, makeSubjects, type NamedSubject } from '../../subject/index.ts'
import { checkTraces, regradable, withJudges } from '../../run/index.ts'
import {
  findEvals,
  findSuites,
  loadSuites,
  selectFromSuites,
  withPrompts,
} from '../../suite/index.ts'
import { cautions } from './cautions.ts'
import {
  experimentAmong,
  experimentRecord,
  programsOf,
  withExperiment,
} from './experiment-settings.ts'
import { findRun, sourcesWith, type FoundRun } from './find-run.ts'
import { isPicking, leftOut, leftOutWarning, pickCases, withPicked } from './part/pick-cases.ts'
import { planJudges } from './plan-judges.ts'
import {
  REGRADED,
  milliseconds,
  resolveSettings,
  type RunSettings,
  type SettingsFile,
  type SettingSources,
} from './run-settings.ts'
import { judgesOf, modelsOf, requestOf, suitesOf } from './run-request.ts'
import { loadSettings, moved, type LoadedSettings, type Settings } from './settings.ts'
import type { EarlierRun } from './earlier-run.ts'
import {
  loadPrograms,
  passExperiment,
  passRecorded,
  trustPlan,
  type PlanTrust,
} from '../trust/plan-trust.ts'
import { requestedModules } from '../trust/plan-uses.ts'
import type { TrustGate } from '../trust/require-trust.ts'
import { suiteSubjects } from './suite-subjects.ts'
import { namedIn } from '../../trust/index.ts'
import { checkReadHere } from '../../trust/root.ts'
import type { RunFlags, Request } from './run-flags.ts'
import type { PlannedRun } from './planned-run.ts'

/** The inputs of a plan other than its flags. */
export interface Planning {
  /** The earlier run that is resumed or whose answers are graded again. Null for a new run. */
  readonly earlier: EarlierRun | null
  readonly resumed: SettingSources['resumed']
  readonly gate: TrustGate
  /** Called with each run that a `replay` subject refers to. */
  readonly onFound: (found: FoundRun) => void
}

/**
 * Plans the run. Throws a `UsageError` for every error that can be found before a run, such as a missing key. Also
 * throws one if a file in the folder names a program or an address that the trust gate does not allow.
 */
export async function planRun(
  given: RunFlags,
  { earlier, resumed, gate, onFound }: Planning,
): Promise<PlannedRun> {
  if (given.prices !== undefined) checkReadHere(given.prices)
  const flags = await withoutFolders(await withEvals(given, earlier, gate))
  const before = earlier?.request ?? null
  await passRecorded(flags, earlier, gate)
  const config = flags.config ?? before?.config ?? null
  const { loaded: project, files: settingsFiles } = await settingsOf(config)
  // Hide the API keys before any code of the folder runs.
  hideSecrets(keyVariables(project.settings))
  const files = suitesOf(flags, before)
  const experiment = await experimentAmong(files, flags)
  if (experiment !== null) await passExperiment(experiment, gate)
  const loaded = experiment === null ? project : withExperiment(project, experiment)
  const { settings } = loaded
  const runs = await sourcesWith(settings.output)
  const find = (name: string): string => {
    const found = findRun(name, runs)
    onFound(found)
    return found.folder
  }
  // An experiment may have more subjects now than are recorded. A resumed run may grow, so the current subjects are
  // used.
  const known =
    before === null || experiment === null ? before : { ...before, subjects: experiment.subjects }
  const sources: SettingSources = {
    flags,
    files: experiment === null ? settingsFiles : [experimentFile(experiment), ...settingsFiles],
    isExperiment: experiment !== null,
    before: known,
    resumed,
  }
  const resolved = resolveSettings(sources)
  const models = modelsOf(sources, loaded, find)
  const judgeNames = judgesOf(sources, loaded)
  const wanted = requestOf(sources, { resolved, models, judgeNames })
  const named = namedSubjects(settings)
  const varies = experiment === null ? [] : checkVary(experiment, named)
  const warnings: string[] = experiment === null ? [] : programsOf(experiment)

  // A suite that is a program runs only if the user named it, or if the experiment that names it is a program too.
  const loading = {
    graders,
    functionGraders: [functionGrader],
    allowModules: experiment === null || experiment.isProgram,
    ...(experiment?.prompts == null ? {} : { prompts: experiment.prompts }),
  }
  const seen = await loadSuites(experiment?.suites ?? wanted.suites, {
    ...loading,
    programs: 'check',
  })
  const requested = isPicking(flags)
    ? {
        ...wanted,
        picked: await pickCases(selected(seen, wanted), flags, resolved.seed.value, find),
      }
    : wanted
  const part = leftOut(
    seen.map(({ suite }) => suite),
    selected(seen, requested),
    selectionWords(requested),
  )
  if (part !== null) warnings.push(leftOutWarning(part))
  const trust = await trustPlan(
    {
      ...{ flags, earlier, request: requested, experiment, loaded, named },
      suites: seen.map(({ suite }) => suite),
      judged: withJudges(selected(seen, requested), requested.judges ?? []),
      output: resolved.output,
      findRun: (name) => findRun(name, runs).folder,
    },
    gate,
  )
  const { sandboxGraders } = trust
  const read =
    flags.dryRun === true ? seen : await loadPrograms(seen, { ...loading, sandboxGraders })
  for (const { warnings: told } of read)
    for (const { file, line, text } of told)
      warnings.push(`${line === undefined ? file : `${file}:${line}`}: ${text}`)
  const judged = withJudges(selected(read, requested), requested.judges ?? [])
  const regrading =
    requested.regrade === undefined ? null : regradable(requested.regrade, judged, flags)
  const chosen = regrading?.suites ?? judged
  warnings.push(...(regrading?.warnings ?? []))
  const own =
    regrading === null
      ? suiteSubjects(
          chosen,
          {
            ids: requested.subjects,
            areNamed: models.some(({ place }) => place === 'flag'),
            before: resumed?.revision ?? null,
          },
          ownVariables(),
        )
      : null
  const request =
    own?.asksModels === false ? { ...requested, subjects: [] as readonly string[] } : requested
  checkPlanSize(chosen, regrading?.subjects ?? [...request.subjects, ...(own?.subjects ?? [])])
  const prices = await loadPrices({ file: trust.prices })
  const making = {
    named,
    folder: loaded.folder,
    providers: settings.providers ?? {},
    env: ownVariables(),
    prices,
    findRun: find,
    lookOnly: flags.dryRun === true,
    // With a queue, only the workers have the API keys.
    withoutKeys: flags.queue !== undefined,
  }
  const judges = await planJudges(chosen, making)
  const made =
    regrading?.subjects ??
    (await makeSubjects({
      ...making,
      subjects: request.subjects,
      ...temperatureFor(resolved),
    }))
  const asked = own === null ? null : await withPrompts(own.suites, [...made, ...own.subjects])
  const { suites, subjects } = asked ?? { suites: chosen, subjects: made }
  warnings.push(...(asked?.notices ?? []))
  try {
    for (const subject of made)
      checkSubjects(
        [subject],
        (own?.suites ?? chosen).filter(({ subjects: ids }) => ids?.includes(subject.id) ?? true),
      )
    checkTraces(suites, subjects)
  } catch (error) {
    for (const subject of [...subjects, ...judges]) await subject.close()
    throw error
  }
  const planned = {
    suites,
    subjects,
    judges,
    request,
    resolved:
      regrading === null || resumed !== null ? resolved : withSeed(resolved, regrading.seed, flags),
    models,
    judgeNames,
    named,
    ownTimeouts: made.flatMap(({ id }) => {
      const ms = named[id]?.timeoutMs
      return ms === undefined ? [] : [[id, ms] as const]
    }),
    prices: JSON.stringify(prices.source),
    recipe: {
      named,
      providers: settings.providers ?? {},
      parameters: {},
      defaults: {},
      ...temperatureFor(resolved),
      subjects: request.subjects,
      folder: loaded.folder,
      pricesFile: trust.prices,
    },
    ...(experiment === null ? {} : { experiment: experimentRecord(experiment, varies, suites) }),
    ...(part === null ? {} : { leftOut: part }),
    trust,
  }
  const keys = readableKeys(suites, subjects, { sandboxGraders })
  const judging = flags.dryRun === true ? [] : judgesAsked(planned)
  return {
    ...planned,
    warnings: [...warnings, ...trust.notices, ...cautions(planned), ...judging, ...keys],
  }
}

/**
 * If the command line names no suites, adds those of the settings and the files with functions in this folder. Files
 * with functions run with the user's permissions. The user has not named them, so they need trust.
 */
async function withEvals(
  flags: RunFlags,
  earlier: EarlierRun | null,
  gate: TrustGate,
): Promise<RunFlags> {
  if (flags.suites.length + (flags.evalSet?.length ?? 0) > 0 || earlier !== null) return flags
  const found = await findEvals('.')
  for (const file of found) await gate.pass(requestedModules([file], namedIn(file)))
  const { files } = await settingsOf(flags.config ?? null)
  const { settings, folder } = files.find((one) => one.settings.suites !== undefined) ?? {}
  const suites = [settings?.suites ?? []].flat().map((file) => join(folder ?? '.', file))
  return { ...flags, suites: [...suites, ...found] }
}

/** Returns the flags with each folder replaced by the suites in it. */
async function withoutFolders(flags: RunFlags): Promise<RunFlags> {
  const found = async (paths: readonly string[]): Promise<string[]> => {
    const files: string[] = []
    for (const path of paths) {
      checkReadHere(path)
      files.push(
        ...(statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
          ? await findSuites(path)
          : [path]),
      )
    }
    return files
  }
  const { evalSet } = flags
  return {
    ...flags,
    suites: await found(flags.suites),
    ...(evalSet === undefined ? {} : { evalSet: await found(evalSet) }),
  }
}

/** Warns if no model answers but judges are asked, because users may not expect such a run to cost money. */
function judgesAsked({
  subjects,
  judges,
  request,
  trust,
}: Pick<PlannedRun, 'subjects' | 'judges' | 'request' | 'trust'>): string[] {
  const isRecorded = ({ kind }: Subject): boolean => kind === 'simulated' || kind === 'replay'
  if (request.regrade === undefined && !subjects.every(isRecorded)) return []
  // Only judges send requests here, so every key that is sent goes to a judge.
  const sent = trust.uses.flatMap((use) =>
    use.does === 'send' && use.variable !== null ? [`${use.variable} to ${use.to}`] : [],
  )
  if (sent.length === 0) return []
  const names = judges.map(({ id }) => plain(id)).join(', ')
  return [`no model answers, but judges are asked: ${names}; this sends ${sent.join(', ')}`]
}

interface ProjectSettings {
  readonly loaded: LoadedSettings
  /** All settings files, the one with the highest precedence first. */
  readonly files: readonly SettingsFile[]
}

/** Returns the environment variables that the settings name for API keys. These variables may have any name. */
const keyVariables = ({ providers = {} }: Settings): string[] =>
  Object.values(providers).flatMap(({ apiKeyEnv }) => (apiKeyEnv === undefined ? [] : [apiKeyEnv]))

const selected = (
  read: readonly { readonly suite: Suite }[],
  { filter, cases, picked }: Request,
): readonly Suite[] => {
  const suites = selectFromSuites(
    read.map(({ suite }) => suite),
    { tags: filter, cases },
  )
  return picked === undefined ? suites : withPicked(suites, picked)
}

/** Returns text that says by which flags cases were selected. */
const selectionWords = ({ filter, cases, picked }: Request): string =>
  [
    ...(filter.length === 0 ? [] : [`--filter ${filter.join(',')}`]),
    ...(cases.length === 0 ? [] : [`--case ${cases.length > 3 ? '…' : cases.join(',')}`]),
    ...(picked === undefined ? [] : [picked.words]),
  ].join(' ')

/** Loads assay.toml and the run file. Both have the same format, and the run file overrides assay.toml. */
async function settingsOf(config: string | null): Promise<ProjectSettings> {
  const project = await loadSettings({ folder: '.' })
  const files: SettingsFile[] =
    project.file === null ? [] : [{ ...project, file: project.file, place: 'project' }]
  if (config === null) return { loaded: project, files }
  const runFile = await loadSettings({ folder: '.', file: config })
  const { settings: a } = project
  const { settings: b } = runFile
  return {
    files: [{ ...runFile, file: config, place: 'file' }, ...files],
    loaded: {
      ...runFile,
      settings: {
        ...a,
        ...b,
        providers: { ...a.providers, ...b.providers },
        subjects: { ...moved(a.subjects ?? {}, project.folder, runFile.folder), ...b.subjects },
      },
      origins: new Map([...project.origins, ...runFile.origins]),
    },
  }
}

/**
 * Returns the settings of an experiment as a settings file. Its paths are already relative to the working directory.
 */
const experimentFile = ({ file, settings, subjects }: Experiment): SettingsFile => ({
  settings: { ...settings, model: [...subjects] },
  place: 'file',
  file,
  folder: '.',
})

/**
 * Returns the temperature for the models. A temperature from the command line applies to all models. Any other
 * applies only to models that do not set their own.
 */
function temperatureFor({ temperature }: RunSettings) {
  if (temperature === null) return {}
  const parameters = { temperature: temperature.value }
  return temperature.place === 'flag' || temperature.place === 'record'
    ? { parameters }
    : { defaults: parameters }
}

/**
 * Returns the settings with the right seed. Regrading uses the seed of the earlier run unless `--seed` is given, so
 * that graders draw the same random numbers.
 */
const withSeed = (resolved: RunSettings, seed: number, flags: RunFlags): RunSettings =>
  flags.seed === undefined
    ? { ...resolved, seed: { value: seed, place: 'record', from: REGRADED } }
    : resolved

function namedSubjects(settings: Settings): Record<string, NamedSubject> {
  return Object.fromEntries(
    Object.entries(settings.subjects ?? {}).map(([name, { timeout, ...rest }]) => {
      const limit =
        timeout === undefined ? {} : { timeoutMs: milliseconds(`timeout of ${name}`, timeout) }
      return [name, { ...rest, ...limit } as NamedSubject]
    }),
  )
}

/**
 * Returns warnings about API keys that programs of the run could read, from Assay's environment or from that of a
 * process that started Assay.
 */
function readableKeys(
  suites: readonly Suite[],
  subjects: readonly Subject[],
  context: Pick<PlanTrust, 'sandboxGraders'>,
): string[] {
  const runsPrograms =
    subjects.some(({ kind }) => kind === 'command') ||
    suites.some(({ cases }) => cases.some((one) => runsUnsandboxed(one, context)))
  if (!runsPrograms) return []
  return exposures().map(({ names, program, pid }) => {
    const owner = program === null ? 'Assay' : `${program} (process ${pid}), which started Assay`
    return `programs of this run can read ${names.join(', ')} in the environment of ${owner}; graders with sandbox = true cannot`
  })
}

/** Returns the default path of a new run folder. Its name contains the time and the suites. */
export function defaultFolder(
  runs: string,
  suites: readonly Pick<Suite, 'id'>[],
  now: Date,
): string {
  const time = now.toISOString().replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 15)
  const names = suites.map(({ id }) => id.replaceAll(/[^\w.-]+/g, '-')).join('+')
  return join(runs, `${time}-${names.slice(0, 60)}`)
}

export const requestJson = (request: Request): Json => request as unknown as Json
