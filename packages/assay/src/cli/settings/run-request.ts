/** Builds the request that the record stores: the subjects, the judges, the suites and the selected cases. */
import { existsSync } from 'node:fs'
import { UsageError } from '@assay/contract'
import { isModulePath } from '../../documents/index.ts'
import { isStronger, strongest, type Setting } from '../../run/index.ts'
import { splitSubjects } from '../../subject/index.ts'
import type { PlannedRun } from './planned-run.ts'
import type { Request, RunFlags } from './run-flags.ts'
import { STARTED, type SettingsFile, type SettingSources } from './run-settings.ts'
import type { LoadedSettings, Settings } from './settings.ts'
import { normalTraffic } from './normal-traffic.ts'

export const NO_SUBJECTS =
  'say who answers: --model provider/model, command:…, replay:… or simulated:pass=0.8, or model = "…" in assay.toml. `assay models` lists providers'

/** Returns the folder of the run with this name. */
export type FindFolder = (name: string) => string

const own = <T>(given: readonly T[], kept: readonly T[] | undefined): readonly T[] =>
  given.length > 0 ? given : (kept ?? [])

/** Returns the files to run. */
export const suitesOf = (flags: RunFlags, before: Request | null): readonly string[] =>
  own([...flags.suites, ...(flags.evalSet ?? [])], before?.suites)

const comma = (values: readonly string[] = []): string[] =>
  values.flatMap((value) => value.split(',')).filter((value) => value !== '')

/** Returns the models that answer, each with the place (a flag or a file) that set it. */
export function modelsOf(
  { flags, before, files }: SettingSources,
  { settings }: LoadedSettings,
  find: FindFolder,
): Setting<string>[] {
  const split = splitter(settings)
  const given = listOf(
    [...(flags.model ?? []), ...(flags.models ?? [])].flatMap(split),
    '--model',
    before?.subjects,
    files.map((one) => ({ ...one, values: [one.settings.model ?? []].flat().flatMap(split) })),
  )
  return (given?.value ?? []).map((subject) => ({
    value: normalTraffic(settledReplay(subject, find), find, flags.trust === true),
    place: given?.place ?? 'default',
    from: given?.from ?? 'default',
  }))
}

/** Returns the judges that replace those in the suites. Null if there are none. */
export function judgesOf(
  { flags, before, files }: SettingSources,
  { settings }: LoadedSettings,
): Setting<readonly string[]> | null {
  const split = splitter(settings)
  return listOf(
    (flags.judge ?? []).flatMap(split),
    '--judge',
    before?.judges,
    files.map((one) => ({ ...one, values: [one.settings.judges ?? []].flat().flatMap(split) })),
  )
}

const splitter = ({ subjects = {} }: Settings): ((text: string) => string[]) => {
  const names = Object.keys(subjects)
  return (text) => splitSubjects(text, names)
}

/** Returns the first list that is not empty, from the highest to the lowest precedence. Null if all are empty. */
function listOf(
  flagged: readonly string[],
  flag: string,
  recorded: readonly string[] | undefined,
  files: readonly (SettingsFile & { readonly values: readonly string[] })[],
): Setting<readonly string[]> | null {
  const all: Setting<readonly string[]>[] = [
    { value: flagged, place: 'flag', from: flag },
    { value: recorded ?? [], place: 'record', from: STARTED },
    ...files.map(({ values, place, file }) => ({ value: values, place, from: file })),
  ]
  return strongest(all.filter(({ value }) => value.length > 0))
}

type Wanted = Pick<PlannedRun, 'resolved' | 'models' | 'judgeNames'>

export function requestOf(
  { flags, before }: SettingSources,
  { resolved, models, judgeNames }: Wanted,
): Request {
  const suites = suitesOf(flags, before)
  if (suites.length === 0)
    throw new UsageError(
      'name a suite to run, or a folder of suites: assay run SUITE. Without one, `suites` of assay.toml and the *.eval.ts files of this folder are run, and there are none. `assay init` writes a first suite',
    )
  const regrade = flags.regrade ?? before?.regrade
  if (flags.regrade !== undefined) checkRegrade(flags)
  // A suite that is a program may contain functions that answer. That becomes known only when the suite is read.
  if (models.length === 0 && regrade === undefined && !suites.some(isModulePath))
    throw new UsageError(NO_SUBJECTS)
  const { trials, passK, timeoutMs } = resolved.cases
  const strong = <T>(setting: Setting<T> | null): T | undefined =>
    setting !== null && isStronger(setting, { place: 'case' }) ? setting.value : undefined
  const asked = {
    ...set('trials', strong(strongest(trials))),
    ...set('passK', strong(passK)),
    ...set('timeoutMs', strong(strongest(timeoutMs))),
  }
  return {
    suites,
    subjects: models.map(({ value }) => value),
    config: flags.config ?? before?.config ?? null,
    filter: own(comma(flags.filter), before?.filter),
    cases: own(comma(flags.case), before?.cases),
    temperature: flags.temperature ?? before?.temperature ?? null,
    trials: strongest(trials)?.value ?? Math.max(...passK.value),
    passK: passK.value,
    prices: resolved.prices.value,
    ...(Object.keys(asked).length === 0 ? {} : { asked }),
    ...(judgeNames === null ? {} : { judges: judgeNames.value }),
    ...(regrade === undefined ? {} : { regrade }),
    ...(before?.picked === undefined ? {} : { picked: before.picked }),
  }
}

const set = <K extends string, V>(key: K, value: V | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { [P in K]?: V }

/** Throws if --regrade is combined with flags about subjects or trials, because the answers are already recorded. */
function checkRegrade(flags: RunFlags): void {
  const about = ['model', 'models', 'trials', 'temperature', 'resume', 'cache'] as const
  const given = about.find((flag) => flags[flag] !== undefined)
  if (given !== undefined)
    throw new UsageError(
      `--regrade grades the answers that a run has, as many as it has: leave --${given} out`,
    )
}

/**
 * Replaces `replay:latest` with the folder of that run. As soon as the new run exists, `latest` would mean the new
 * run.
 */
function settledReplay(subject: string, find: FindFolder): string {
  const [, name = '', choice = ''] = /^replay:\s*([^#]+?)\s*(#.*)?$/s.exec(subject) ?? []
  if (name === '' || existsSync(name) || existsSync(name + choice)) return subject
  return `replay:${find(name)}${choice}`
}
