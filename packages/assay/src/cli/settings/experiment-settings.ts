/**
 * Turns an experiment into settings of its run. They have the same precedence as a run file: flags override them,
 * and they override assay.toml. Only the experiment decides which subjects are compared and how. Flags that
 * contradict it are refused.
 */
import path from 'node:path'
import { UsageError, plain, type Suite } from '@assay/contract'
import { loadExperiment, type Experiment } from '../../experiment/index.ts'
import type { ExperimentRecord } from '../../log/index.ts'
import { promptedName } from '../../suite/index.ts'
import { originsIn, type LoadedSettings, type Settings } from './settings.ts'

/** The maximum number of characters of a command in a warning. */
const MOST_SHOWN = 80

interface OwnFlags {
  readonly model?: readonly string[]
  readonly models?: readonly string[]
  readonly temperature?: number
}

/** Returns the experiment among the files to run, or null if all are suites. */
export async function experimentAmong(
  files: readonly string[],
  flags: OwnFlags,
): Promise<Experiment | null> {
  for (const file of files) {
    const experiment = await loadExperiment(file)
    if (experiment === null) continue
    if (files.length > 1)
      throw new UsageError(`${plain(file)} is an experiment and names its suites: run it alone`)
    if (flags.model !== undefined || flags.models !== undefined || flags.temperature !== undefined)
      throw new UsageError(
        `${plain(file)} is an experiment and says who is compared: leave --model and --temperature out`,
      )
    return experiment
  }
  return null
}

/** Merges the experiment into the settings. The paths of the result are relative to the folder of `loaded`. */
export function withExperiment(loaded: LoadedSettings, experiment: Experiment): LoadedSettings {
  const { settings, folder } = loaded
  const there = (file: string): string => path.relative(folder, file)
  const { prices, ...rest } = experiment.settings
  const described = Object.entries(experiment.described).map(([name, one]) => [
    name,
    {
      ...one,
      folder: there(path.dirname(experiment.file)),
      ...(one.cwd === undefined ? {} : { cwd: there(one.cwd) }),
      ...(one.replay?.includes(path.sep) !== true ? {} : { replay: there(one.replay) }),
    },
  ])
  const given = {
    ...rest,
    ...(prices === undefined ? {} : { prices: there(prices) }),
    model: [...experiment.subjects],
    subjects: Object.fromEntries(described) as NonNullable<Settings['subjects']>,
  }
  return {
    ...loaded,
    settings: { ...settings, ...given, subjects: { ...settings.subjects, ...given.subjects } },
    origins: new Map([...loaded.origins, ...originsIn(experiment.file, given)]),
  }
}

/**
 * Returns a warning if an experiment starts programs. The warning shows the first one. Users may expect that a .toml
 * file only sends requests to models.
 */
export function programsOf({ file, described, subjects, settings }: Experiment): string[] {
  const commands = [
    ...Object.values(described).flatMap(({ command, program, agent, mcpServers = {} }) => [
      ...wordsOf(command ?? program ?? agent),
      ...Object.values(mcpServers).flatMap((one) => ('command' in one ? wordsOf(one.command) : [])),
    ]),
    ...[subjects, settings.judges ?? []]
      .flat()
      .filter((subject) => /^(?:command|agent)\b/.test(subject)),
  ]
  const [given] = commands
  if (given === undefined) return []
  const first = plain(given)
  const shown = first.length > MOST_SHOWN ? `${first.slice(0, MOST_SHOWN - 1)}…` : first
  return [`${file} starts programs, such as ${shown}`]
}

/** Returns the whole command. Its first word alone may be just a shell. */
const wordsOf = (command: string | readonly string[] | undefined): string[] =>
  command === undefined ? [] : [[command].flat().join(' ')]

export function experimentRecord(
  experiment: Experiment,
  varies: readonly string[],
  suites: readonly Suite[],
): ExperimentRecord {
  const { name, file, scoring } = experiment
  const prompts = [
    ...new Set(suites.flatMap((suite) => suite.prompts?.map((one) => one.name) ?? [])),
  ]
  return {
    name,
    file,
    tiers: prompts.length === 0 ? experiment.tiers : promptTiers(experiment, prompts),
    varies: prompts.length < 2 ? varies : [...varies, 'prompt'],
    ...scoring,
  }
}

/** Returns the tiers of an experiment in which every subject is combined with each of several prompts. */
function promptTiers(
  { file, tiers, tiersByPrompt, subjects }: Experiment,
  prompts: readonly string[],
): ExperimentRecord['tiers'] {
  const [first = ''] = prompts
  if (tiersByPrompt === undefined)
    return tiers.map(({ order, baseline }) => ({
      order: order.flatMap((subject) => prompts.map((prompt) => promptedName(subject, prompt))),
      baseline: promptedName(baseline, first),
    }))
  const baseline = tiersByPrompt.baseline ?? first
  if (!prompts.includes(baseline))
    throw new UsageError(
      `${plain(file)}: the baseline is not a prompt; there are ${prompts.map(plain).join(', ')}`,
    )
  return subjects.map((subject) => ({
    order: prompts.map((prompt) => promptedName(subject, prompt)),
    baseline: promptedName(subject, baseline),
  }))
}
