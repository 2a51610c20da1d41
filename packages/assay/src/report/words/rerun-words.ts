/** Makes the command that runs the case of a trial again. */
import { plain, shellPath, shellWord, type Identity } from '@assay/contract'
import type { Provenance } from '../schema/report.ts'

type Source = Pick<
  Provenance,
  'experiment' | 'experimentFile' | 'origin' | 'seed' | 'subjects' | 'suites'
>

/**
 * Returns a command that can be pasted into a shell. Null if the suite's file is unknown, or if a name contains a
 * character that cannot be printed or a comma.
 */
export function rerunCommand(
  provenance: Source,
  identity: Identity,
  program = 'assay',
): string | null {
  const { seed, origin } = provenance
  const source = rerunSource(provenance, identity)
  if (source === null || origin !== null) return null
  const { case: id, index } = identity
  // The command also runs the trials before this one. So the trial keeps its index, and its random numbers depend on
  // the index.
  const words = [
    ...['--case', id],
    ...(source.model === null ? [] : ['--model', source.model]),
    ...['--trials', String(index + 1)],
    ...(seed === null ? [] : ['--seed', String(seed)]),
  ]
  // The command line uses commas to separate names, so a name that contains a comma cannot be given.
  if ([source.path, ...words].some((word) => plain(word) !== word) || id.includes(',')) return null
  return [program, 'run', shellPath(source.path), ...words.map(shellWord)].join(' ')
}

/** What a command names to run a trial again. */
export interface RerunSource {
  /** The file of the suite or of the experiment. */
  readonly path: string
  /** The model. Null if the experiment's file says who answers. */
  readonly model: string | null
}

/**
 * Returns what a command must name to run a trial again, or null if it is unknown. An experiment says itself who
 * answers. A subject that was asked with a prompt (`MODEL · PROMPT`) is named by its model, because the suite has the
 * prompts: the command asks with the other prompts too.
 */
export function rerunSource(
  {
    experiment,
    experimentFile,
    subjects,
    suites,
  }: Pick<Source, 'experiment' | 'experimentFile' | 'subjects' | 'suites'>,
  { suite, subject }: Identity,
): RerunSource | null {
  if (experimentFile !== undefined) return { path: experimentFile, model: null }
  const path = suites.find((one) => one.id === suite)?.path ?? ''
  if (path === '' || experiment !== undefined) return null
  const config = subjects.find(({ id }) => id === subject)?.config
  const ending = ` · ${promptOf(config) ?? ''}`
  return { path, model: subject.endsWith(ending) ? subject.slice(0, -ending.length) : subject }
}

const promptOf = (config: unknown): string | null =>
  typeof config === 'object' &&
  config !== null &&
  'prompt' in config &&
  typeof config.prompt === 'string'
    ? config.prompt
    : null
