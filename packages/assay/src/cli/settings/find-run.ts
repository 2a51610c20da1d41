/**
 * Finds a run by the name that the user typed: a folder, `latest`, or the start of a run folder's name. The runs of a
 * project are those in its list and those in its runs folders. `latest` is the run that was started last. Resuming a
 * run does not make it the latest.
 *
 * The list and the folders may be untrusted. So a run outside of the repository is found only in two cases: the list
 * has its id, which cannot be guessed, or the user trusts the project to keep runs in that folder. Links that lead out
 * of the repository are skipped. To name a folder that is itself called `latest`, write `./latest`.
 */
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join, normalize, resolve } from 'node:path'
import { UsageError } from '@assay/contract'
import { isRunFolder, notRunText, readRunHead, readRunList } from '../../log/index.ts'
import {
  checkInRepository,
  checkWrittenHere,
  isOutsideRoot,
  repositoryRoot,
} from '../../trust/root.ts'
import { findSettingsFile, pathFrom, SETTINGS_FILE } from './settings-file.ts'

/** The list of all runs that were started in this project. Their folders may be anywhere. */
export const RUN_LIST = join('.assay', 'runs.jsonl')
export const RUNS_FOLDER = join('.assay', 'runs')
/** The name of the run that was started last. */
export const LATEST = 'latest'

/** The folders and the list in which runs are searched. */
export interface RunSources {
  /** New runs are created in the first folder. */
  readonly folders: readonly [string, ...string[]]
  readonly list: string
  /**
   * Folders outside of the repository that are searched too, because the user trusts the project to keep runs there.
   */
  readonly trusted?: readonly string[]
}

export interface ProjectRuns extends RunSources {
  /**
   * The folder that contains the project's `.assay`. It is the folder of assay.toml or, if there is none, the
   * working directory.
   */
  readonly project: string
}

export interface FoundRun {
  readonly folder: string
  /** The name that the user typed if it is not a folder: `latest` or the start of a folder name. Otherwise null. */
  readonly alias: string | null
  /** Run folders outside of the repository, or links to them, that were skipped. Absent if there are none. */
  readonly passedOver?: readonly string[]
}

/**
 * Returns where the runs of this project are: the folders that contain runs, and the file that lists runs in other
 * folders.
 */
export async function runSources(): Promise<ProjectRuns> {
  const file = await findSettingsFile('.')
  const project = file === null ? '.' : dirname(file)
  const output = file === null ? null : await outputSetting(file)
  const usual = join(project, RUNS_FOLDER)
  return {
    folders: [output ?? usual, ...new Set([usual, RUNS_FOLDER])],
    list: join(project, RUN_LIST),
    project,
    ...(await trustedFolders(output)),
  }
}

/** Returns the sources of the project together with the `output` folder of a run file or experiment. */
export async function sourcesWith(output: string | undefined): Promise<RunSources> {
  const project = await runSources()
  if (output === undefined) return project
  const trusted = [...(project.trusted ?? []), ...((await trustedFolders(output)).trusted ?? [])]
  return { ...project, folders: [output, ...project.folders], trusted }
}

/**
 * Returns `output` if it is outside of the repository and the user allowed that. Most projects have no such folder, so
 * the trust module is imported only when needed.
 */
async function trustedFolders(output: string | null): Promise<Pick<RunSources, 'trusted'>> {
  const root = repositoryRoot('.')
  if (output === null || !isOutsideRoot(root, output)) return {}
  const { identityOf, isTrustedByEnvironment, readTrust } = await import('../../trust/index.ts')
  const path = resolve(output)
  const by = { file: SETTINGS_FILE, root, isCode: false }
  const identity = identityOf({ does: 'write', path, by, for: '' })
  const isTrusted =
    isTrustedByEnvironment(process.env) ||
    readTrust(process.env).roots.get(root)?.includes(identity) === true
  return isTrusted ? { trusted: [path] } : {}
}

/**
 * Returns only `output` from assay.toml. Commands that read runs need nothing else, and validating the whole file would
 * import most of Assay.
 */
async function outputSetting(file: string): Promise<string | null> {
  checkInRepository(file)
  const { readDocument, readText } = await import('../../documents/index.ts')
  const { value } = readDocument(file, await readText(file), 'toml', { secret: true })
  const output: unknown = isRecord(value) ? value['output'] : undefined
  if (typeof output !== 'string' || output === '') return null
  return pathFrom(dirname(file), output)
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function findRun(name: string, sources: RunSources): FoundRun {
  if (name === '') throw new UsageError('an empty name is not a run')
  if (name !== LATEST && isRunFolder(name)) return { folder: name, alias: null }
  const { folders: all, passedOver } = knownRuns(sources)
  const also = passedOver.length === 0 ? {} : { passedOver }
  if (name === LATEST) {
    const last = all.at(-1)
    if (last === undefined)
      throw new UsageError(
        `there is no run under ${sources.folders[0]} yet, nor in ${sources.list}: \`assay run SUITE\` makes one${passedOverText(passedOver)}`,
      )
    return { folder: last, alias: name, ...also }
  }
  const exact = all.filter((folder) => basename(folder) === name)
  const matching =
    exact.length > 0 ? exact : all.filter((folder) => basename(folder).startsWith(name))
  const [first] = matching
  if (matching.length === 1 && first !== undefined) return { folder: first, alias: name, ...also }
  throw new UsageError(
    matching.length === 0
      ? isFolder(name)
        ? notRunText(name)
        : `"${name}" is not a run folder, and no run under ${sources.folders[0]} or in ${sources.list} begins with it (\`assay runs list\` lists them)${passedOverText(passedOver)}`
      : `"${name}" is the start of ${matching.length} runs: ${matching.slice(0, 5).join(', ')}`,
  )
}

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/**
 * Finds a run that the command will change (resume, tag or delete). The project's list of runs may come from
 * somebody else. So a run outside of the repository is found only if the user names its folder.
 */
export function findRunToChange(name: string, sources: RunSources): FoundRun {
  const found = findRun(name, sources)
  if (found.alias !== null && isElsewhere(found.folder, sources))
    throw new UsageError(
      `"${name}" is ${found.folder}, which is outside of this repository, and only ${sources.list} leads there: to change this run, name its folder`,
    )
  if (found.alias === null && isElsewhere(found.folder, sources)) checkWrittenHere(found.folder)
  return found
}

/** Whether a run is outside of the repository, in a folder where the user did not allow this project to keep runs. */
export function isElsewhere(folder: string, { list, trusted = [] }: RunSources): boolean {
  const root = repositoryRoot(dirname(dirname(list)))
  return !trusted.includes(dirname(resolve(folder))) && isOutsideRoot(root, folder)
}

/** Returns a sentence that says which folders were skipped. Empty if there are none. */
export const passedOverText = (folders: readonly string[]): string =>
  folders.length === 0
    ? ''
    : `. Not looked at, because outside of the repository: ${folders.slice(0, 3).join(', ')}${folders.length > 3 ? ` and ${folders.length - 3} more` : ''}. Name the run by its folder`

export interface KnownRuns {
  /** The folders of all existing runs. The run that was started first comes first. */
  readonly folders: readonly string[]
  readonly passedOver: readonly string[]
}

export function knownRuns({ folders, list, trusted = [] }: RunSources): KnownRuns {
  const known = new Map<string, { readonly folder: string; readonly startedAt: number }>()
  const passedOver = new Set<string>()
  const root = repositoryRoot(dirname(dirname(list)))
  const isBarred = (folder: string): boolean => {
    const barred = isOutsideRoot(root, folder)
    if (barred) passedOver.add(folder)
    return barred
  }
  const add = (named: string, id: string | null): void => {
    const folder = normalize(named)
    const path = resolve(folder)
    if (known.has(path) || !isRunFolder(folder)) return
    const head = readRunHead(folder)
    // The list names the run with this id. Another run that was later put into the same folder does not count.
    if (id !== null && head !== null && head.id !== id) return
    if (id !== null && head === null && isBarred(folder)) return
    known.set(path, { folder, startedAt: startOf(folder, head?.createdAt) })
  }
  for (const { id, folder } of readRunList(list)) add(folder, id)
  for (const folder of new Set(folders.map((one) => normalize(one)))) {
    const isTrusted = trusted.includes(resolve(folder))
    const entries = entriesIn(folder)
    if (entries.length === 0 || (!isTrusted && isBarred(folder))) continue
    for (const { name, isLink } of entries) {
      const path = join(folder, name)
      if (!known.has(resolve(path)) && !(isLink && isBarred(path))) add(path, null)
    }
  }
  // The sort is stable. If two runs started in the same millisecond, the one that is listed later counts as later.
  const sorted = [...known.values()].toSorted((a, b) => a.startedAt - b.startedAt)
  return { folders: sorted.map(({ folder }) => folder), passedOver: [...passedOver] }
}

/**
 * Returns the start time of a run. If the record does not have it, returns the creation time of the folder, so that the
 * run is still found.
 */
function startOf(folder: string, createdAt: string | undefined): number {
  const startedAt = Date.parse(createdAt ?? '')
  return Number.isNaN(startedAt) ? statSync(folder).birthtimeMs : startedAt
}

/**
 * Returns the entries of a folder, oldest first. If the name of a new run already exists, a number is appended to
 * it. So among equal names, the longer ones are newer.
 */
function entriesIn(folder: string): { readonly name: string; readonly isLink: boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .map((entry) => ({ name: entry.name, isLink: entry.isSymbolicLink() }))
      .toSorted((a, b) => a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}
