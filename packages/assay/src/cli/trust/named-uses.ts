/**
 * For `assay trust`: lists everything that the given files could start, contact, read or write. Each entry is a
 * `Use`. An entry is listed even if a particular run would not need it. No code of these files is run.
 */
import { statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { type Suite, UsageError } from '@assay/contract'
import { loadExperiment, mayBeExperiment, type Experiment } from '../../experiment/index.ts'
import { graders } from '../../grade/index.ts'
import { isRunFolder } from '../../log/index.ts'
import { judgesIn } from '../../run/index.ts'
import { findProvider, type NamedSubject } from '../../subject/index.ts'
import { findEvals, findFiles, loadSuite, looksLikeSuite, recognise } from '../../suite/index.ts'
import { isEvalPath, isModulePath, SuiteError } from '../../documents/index.ts'
import {
  byUserIn,
  namedIn,
  needsTrust,
  providerUses,
  repliesUse,
  rootOfRun,
  withoutRepeats,
  type NamedBy,
  type Use,
} from '../../trust/index.ts'
import { checkReadHere } from '../../trust/root.ts'
import { earlierRun } from '../settings/earlier-run.ts'
import { withExperiment } from '../settings/experiment-settings.ts'
import type { Request } from '../settings/run-flags.ts'
import { findRun as findRunIn, sourcesWith } from '../settings/find-run.ts'
import { experimentReads } from './plan-trust.ts'
import { judgesBy, planUses, readUses, requestedModules, writeUses } from './plan-uses.ts'
import { loadSettings, type LoadedSettings, type Settings } from '../settings/settings.ts'
import { pathFrom, SETTINGS_FILE } from '../settings/settings-file.ts'

export interface NamedUses {
  /** The uses (trust/use.ts) that need the user's trust. */
  readonly uses: readonly Use[]
  /** The files that could not be read, each with the reason. */
  readonly faults: readonly string[]
}

interface Asked {
  /**
   * Subjects as in --model. For each suite, the list contains the keys that these subjects have while they answer
   * its cases.
   */
  readonly subjects: readonly string[]
  readonly unsandboxed: boolean
}

interface Looking extends Asked {
  /** Is called with an error in a part of a file. The other parts are still read. */
  readonly tell: (fault: string) => void
}

export async function namedUses(paths: readonly string[], looking: Asked): Promise<NamedUses> {
  const uses: Use[] = []
  const faults: string[] = []
  const tell = (fault: string): void => void faults.push(fault)
  for (const path of paths)
    for (const file of await filesOf(path))
      try {
        uses.push(...(await usesOf(file, file === path, { ...looking, tell })))
      } catch (error) {
        if (!(error instanceof SuiteError || error instanceof UsageError)) throw error
        faults.push(error.message)
      }
  return { uses: withoutRepeats(uses.filter(needsTrust)), faults }
}

async function filesOf(path: string): Promise<string[]> {
  if (isRunFolder(path) || !statSync(path).isDirectory()) return [path]
  const found = await findFiles(
    path,
    (file, recognised) =>
      basename(file) === SETTINGS_FILE ||
      looksLikeSuite(recognised) ||
      mayBeExperiment(recognised.head.text),
  )
  return [...found, ...(await findEvals(path)).map((file) => join(path, file))]
}

async function usesOf(path: string, isNamed: boolean, looking: Looking): Promise<readonly Use[]> {
  if (isRunFolder(path)) return await usesOfRecord(path, looking)
  checkReadHere(path)
  // By naming a program, the user allows it to run. What it would start and contact is unknown until it runs.
  if (isEvalPath(path)) return requestedModules([path], namedIn(path))
  if (isModulePath(path)) return []
  if (basename(path) === SETTINGS_FILE) return await usesOfSettings(path, looking)
  const experiment = await loadExperiment(path)
  if (experiment !== null) return await usesOfExperiment(experiment, looking)
  if (looksLikeSuite(await recognise(path)))
    return await usesOfSuites([await readStatically(path)], looking)
  // Only a file that the user named is read as a run file. A file that was found in a folder could be anything.
  return isNamed ? await usesOfSettings(path, looking) : []
}

const readStatically = async (path: string): Promise<Suite> =>
  (await loadSuite(path, { graders, programs: 'check' })).suite

async function runFinder(output?: string): Promise<(name: string) => string> {
  const sources = await sourcesWith(output)
  return (name) => findRunIn(name, sources).folder
}

const NOTHING: Request = {
  suites: [],
  subjects: [],
  config: null,
  filter: [],
  cases: [],
  temperature: null,
  trials: 1,
  passK: [1],
  prices: null,
}

const everyone = (by: NamedBy) => ({
  ...{ suites: by, subjects: by, judges: by, prices: by, config: by, regrade: by },
})

const none: LoadedSettings = { settings: {}, file: null, folder: '.', origins: new Map() }

async function usesOfSuites(suites: readonly Suite[], looking: Looking): Promise<readonly Use[]> {
  return await planUses({
    request: { ...NOTHING, subjects: looking.subjects },
    naming: everyone(byUserIn('.')),
    loaded: none,
    named: {},
    suites,
    suiteBy: namedIn,
    judges: judgesBy(suites, judgesIn, null),
    fileBy: namedIn,
    env: null,
    unsandboxed: looking.unsandboxed,
    canSandbox: false,
    findRun: await runFinder(),
  })
}

/**
 * Says which settings can name a program, address or path. If a setting is added without an entry here, the code
 * does not compile.
 */
const SETTINGS: Readonly<Record<keyof Settings, 'subjects' | 'judges' | 'own' | 'nothing'>> = {
  $schema: 'nothing',
  // These are suites of data inside the folder. What they start and contact is found when they are read.
  suites: 'nothing',
  model: 'subjects',
  judges: 'judges',
  trials: 'nothing',
  passK: 'nothing',
  temperature: 'nothing',
  parallelism: 'nothing',
  budget: 'nothing',
  output: 'own',
  seed: 'nothing',
  timeout: 'nothing',
  gradeTimeout: 'nothing',
  maxErrors: 'nothing',
  maxWait: 'nothing',
  prices: 'own',
  providers: 'own',
  subjects: 'subjects',
}

async function usesOfSettings(file: string, looking: Looking): Promise<readonly Use[]> {
  const loaded = await loadSettings({ folder: dirname(file), file })
  const by = namedIn(file)
  const { output } = loaded.settings
  // The `output` of a run file is relative to the working directory.
  const base = basename(file) === SETTINGS_FILE ? dirname(file) : '.'
  return [
    ...(await usesOfLoaded(loaded, by, { ...looking, workFolder: dirname(resolve(file)) })),
    ...(output === undefined ? [] : writeUses(resolve(base, output), by)),
  ]
}

async function usesOfLoaded(
  loaded: LoadedSettings,
  by: NamedBy,
  { workFolder, tell }: Looking & { readonly workFolder: string },
): Promise<readonly Use[]> {
  const { settings } = loaded
  const namesIn = (what: 'subjects' | 'judges'): string[] =>
    (Object.keys(SETTINGS) as (keyof Settings)[])
      .filter((key) => SETTINGS[key] === what)
      .flatMap((key) => textsOf(settings[key]))
  const providers = settings.providers ?? {}
  for (const name of Object.keys(providers)) tellFault(name, providers, by, tell)
  const findRun = await runFinder(settings.output)
  const inFolder = async (): Promise<Use[]> =>
    await planUses({
      request: {
        ...NOTHING,
        subjects: namesIn('subjects'),
        prices: settings.prices === undefined ? null : pathFrom(loaded.folder, settings.prices),
      },
      naming: everyone(by),
      loaded,
      named: (settings.subjects ?? {}) as Record<string, NamedSubject>,
      suites: [],
      suiteBy: namedIn,
      judges: namesIn('judges').map((judge) => ({ judge, by })),
      fileBy: () => by,
      env: null,
      unsandboxed: false,
      canSandbox: false,
      findRun,
      workFolder,
    })
  return [
    ...(await inFolder()),
    ...Object.keys(providers).flatMap((name) =>
      providerUses(name, { providers, env: null, providerBy: () => by }, `provider ${name}`),
    ),
  ]
}

/**
 * Reports why a provider in the file is refused. Such a provider has no address that could be contacted, so there is
 * no `Use` to list.
 */
function tellFault(
  name: string,
  providers: NonNullable<Settings['providers']>,
  by: NamedBy,
  tell: Looking['tell'],
): void {
  try {
    findProvider(name, { providers, env: {} })
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    tell(`${by.file ?? 'the settings'}: the provider ${name} is refused: ${error.message}`)
  }
}

/** Returns the subjects in a setting: a single one, a list, or the keys of a table. */
function textsOf(value: unknown): string[] {
  if (value === undefined) return []
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? (value as string[]) : Object.keys(value as object)
}

async function usesOfExperiment(experiment: Experiment, looking: Looking): Promise<readonly Use[]> {
  const by = namedIn(experiment.file)
  const loaded = withExperiment(none, experiment)
  const suites: Suite[] = []
  const elsewhere = experimentReads(experiment)
  // A suite outside of the repository is not read before the user allows it. Assay asks about its programs later.
  if (elsewhere.length === 0)
    for (const file of experiment.suites) suites.push(await readStatically(file))
  return [
    ...elsewhere,
    ...(await usesOfLoaded(loaded, by, { ...looking, workFolder: process.cwd() })),
    ...(await usesOfSuites(suites, {
      ...looking,
      subjects: [...looking.subjects, ...experiment.subjects],
    })),
  ]
}

/** Returns the uses that resuming a run, or grading its answers again, would need. */
async function usesOfRecord(
  folder: string,
  { unsandboxed }: Pick<Looking, 'unsandboxed'>,
): Promise<readonly Use[]> {
  const replies = unsandboxed ? [repliesUse(folder, 'replay-agent')] : []
  const earlier = earlierRun(folder, { acceptEdited: true })
  if (earlier === null) return replies
  const { request } = earlier
  const by: NamedBy = { file: folder, root: rootOfRun(folder), isCode: false }
  const { regrade: _, ...asked } = request
  return [
    ...(await planUses({
      request: { ...NOTHING, ...asked },
      naming: everyone(by),
      loaded: none,
      named: {},
      suites: [],
      suiteBy: namedIn,
      judges: (request.judges ?? []).map((judge) => ({ judge, by })),
      fileBy: namedIn,
      env: null,
      unsandboxed: false,
      canSandbox: false,
      findRun: await runFinder(),
    })),
    ...readUses(request.regrade, by, 'the answers that are graded'),
    ...replies,
  ]
}
