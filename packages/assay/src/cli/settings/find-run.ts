/**
 * A run as the user names it: a folder, `latest`, or the start of a run folder's name. The runs of a project
 * are those in its list and those in its runs folders. `latest` is the run that was started last; continuing
 * a run does not make it the latest.
 */
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, normalize, resolve } from 'node:path'
import { UsageError } from '@assay/contract'
import { isRunFolder, readRunHead, readRunList } from '../../log/index.ts'
import { checkInRepository } from '../../trust/root.ts'
import { findSettingsFile } from './settings-file.ts'

/** Every run that was started in this project, wherever its folder is. */
export const RUN_LIST = join('.assay', 'runs.jsonl')
export const RUNS_FOLDER = join('.assay', 'runs')

/** Where runs are looked for. */
export interface RunSources {
  /** New runs are made in the first. */
  readonly folders: readonly [string, ...string[]]
  readonly list: string
}

export interface ProjectRuns extends RunSources {
  /** Where the project's `.assay` is: the folder of its assay.toml, else the one that Assay runs in. */
  readonly project: string
}

export interface FoundRun {
  readonly folder: string
  /** What it was called where that is not its folder: `latest`, the start of its name. */
  readonly alias: string | null
}

/** Of this project. */
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

/** Those of the project, and those in the folder that a run file or an experiment says. */
export async function sourcesWith(output: string | undefined): Promise<RunSources> {
  const project = await runSources()
  return output === undefined ? project : { ...project, folders: [output, ...project.folders] }
}

/**
 * `output` of assay.toml alone. Commands that only read runs need nothing else of it, and would load the whole
 * engine to check it.
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

/** The folders of all runs that are there, the one started first at the front. */
export function knownRuns({ folders, list }: RunSources): string[] {
  const known = new Map<string, { readonly folder: string; readonly startedAt: number }>()
  const add = (named: string, id: string | null): void => {
    const folder = normalize(named)
    const path = resolve(folder)
    if (known.has(path) || !isRunFolder(folder)) return
    const head = readRunHead(folder)
    // The list means the run that was there, not one that somebody has put in its place.
    if (id !== null && head !== null && head.id !== id) return
    known.set(path, { folder, startedAt: startOf(folder, head?.createdAt) })
  }
  for (const { id, folder } of readRunList(list)) add(folder, id)
  for (const folder of folders)
    for (const name of namesIn(normalize(folder))) add(join(folder, name), null)
  // Sorting is stable: of runs started in the same millisecond the one listed later is later.
  return [...known.values()]
    .toSorted((a, b) => a.startedAt - b.startedAt)
    .map(({ folder }) => folder)
}

/** When a run was started; where its record does not say, when its folder was made, so that it is not missed. */
function startOf(folder: string, createdAt: string | undefined): number {
  const startedAt = Date.parse(createdAt ?? '')
  return Number.isNaN(startedAt) ? statSync(folder).birthtimeMs : startedAt
}

/** A name that was taken gets a number, so the longer is the later. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))
  } catch {
    return []
  }
}
