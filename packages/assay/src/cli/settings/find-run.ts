/**
 * Finds a run as the user names it: a folder, `latest`, or the start of a run folder's name. The runs of a project
 * are those in its list and those in its runs folders. `latest` is the run that was started last; continuing a run
 * does not make it the latest.
 */
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, normalize, resolve } from 'node:path'
import { UsageError } from '@assay/contract'
import { isRunFolder, readRunHead, readRunList } from '../../log/index.ts'
import { checkInRepository } from '../../trust/root.ts'
import { findSettingsFile } from './settings-file.ts'

/** The list of all runs started in this project, wherever their folders are. */
export const RUN_LIST = join('.assay', 'runs.jsonl')
export const RUNS_FOLDER = join('.assay', 'runs')

/** Where to look for runs. */
export interface RunSources {
  /** New runs are created in the first folder. */
  readonly folders: readonly [string, ...string[]]
  readonly list: string
}

export interface ProjectRuns extends RunSources {
  /** The folder that contains the project's `.assay`: that of its assay.toml, else the working directory. */
  readonly project: string
}

export interface FoundRun {
  readonly folder: string
  /** The name that the user typed if it is not the folder: `latest` or the start of a folder name. Else null. */
  readonly alias: string | null
}

/** Returns where the runs of this project are. */
export async function runSources(): Promise<ProjectRuns> {
  const file = await findSettingsFile('.')
  const project = file === null ? '.' : dirname(file)
  const output = file === null ? null : await outputSetting(file)
  const usual = join(project, RUNS_FOLDER)
  return {
    folders: [output ?? usual, ...new Set([usual, RUNS_FOLDER])],
    list: join(project, RUN_LIST),
    project,
  }
}

/** Returns the sources of the project, plus the `output` folder of a run file or experiment. */
export async function sourcesWith(output: string | undefined): Promise<RunSources> {
  const project = await runSources()
  return output === undefined ? project : { ...project, folders: [output, ...project.folders] }
}

/**
 * Returns only `output` from assay.toml. Commands that only read runs need nothing else, and checking the whole file
 * would load the whole engine.
 */
async function outputSetting(file: string): Promise<string | null> {
  checkInRepository(file)
  const { readDocument, readText } = await import('../../documents/index.ts')
  const { value } = readDocument(file, await readText(file), 'toml', { secret: true })
  const output: unknown = isRecord(value) ? value['output'] : undefined
  if (typeof output !== 'string' || output === '') return null
  return isAbsolute(output) ? output : join(dirname(file), output)
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function findRun(name: string, sources: RunSources): FoundRun {
  if (name === '') throw new UsageError('an empty name is no run')
  if (isRunFolder(name)) return { folder: name, alias: null }
  const all = knownRuns(sources)
  if (name === 'latest') {
    const last = all.at(-1)
    if (last === undefined)
      throw new UsageError(
        `there is no run under ${sources.folders[0]} yet, nor in ${sources.list}`,
      )
    return { folder: last, alias: name }
  }
  const exact = all.filter((folder) => basename(folder) === name)
  const matching =
    exact.length > 0 ? exact : all.filter((folder) => basename(folder).startsWith(name))
  const [first] = matching
  if (matching.length === 1 && first !== undefined) return { folder: first, alias: name }
  throw new UsageError(
    matching.length === 0
      ? `"${name}" is no run folder, and no run under ${sources.folders[0]} or in ${sources.list} begins with it`
      : `"${name}" is the start of ${matching.length} runs: ${matching.slice(0, 5).join(', ')}`,
  )
}

/** Returns the folders of all existing runs, oldest start first. */
export function knownRuns({ folders, list }: RunSources): string[] {
  const known = new Map<string, { readonly folder: string; readonly startedAt: number }>()
  const add = (named: string, id: string | null): void => {
    const folder = normalize(named)
    const path = resolve(folder)
    if (known.has(path) || !isRunFolder(folder)) return
    const head = readRunHead(folder)
    // The list refers to the run with this id, not to another one that has since been put into that folder.
    if (id !== null && head !== null && head.id !== id) return
    known.set(path, { folder, startedAt: startOf(folder, head?.createdAt) })
  }
  for (const { id, folder } of readRunList(list)) add(folder, id)
  for (const folder of folders)
    for (const name of namesIn(normalize(folder))) add(join(folder, name), null)
  // Sorting is stable: of runs started in the same millisecond, the one listed later counts as later.
  return [...known.values()]
    .toSorted((a, b) => a.startedAt - b.startedAt)
    .map(({ folder }) => folder)
}

/**
 * Returns when a run started. If the record does not say, this is when its folder was created, so that the run is
 * still found.
 */
function startOf(folder: string, createdAt: string | undefined): number {
  const startedAt = Date.parse(createdAt ?? '')
  return Number.isNaN(startedAt) ? statSync(folder).birthtimeMs : startedAt
}

/** Returns the names in a folder, oldest first: a name that was taken gets a number, so the longer name is newer. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))
  } catch {
    return []
  }
}
