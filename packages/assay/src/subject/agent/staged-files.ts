/**
 * Checks the skills and files that a subject adds to a workspace, before any money is spent. The record contains hashes
 * of their contents. So it can tell different contents with the same name apart.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, isAbsolute, join } from 'node:path'
import { SubjectError, type TrialWorkspace, UsageError } from '@assay/contract'
import { readOwn, TooLarge } from '../../log/index.ts'
import type { AgentKind, AgentSettings } from './agent-kind.ts'

/** The content of a file: an absolute path on this machine, or a text. */
export type StagedFile = { readonly from: string } | { readonly text: string }

export interface Staged {
  /** Paths of folders, each with a SKILL.md. */
  readonly skills: readonly string[]
  /** The files, by their path in the workspace. */
  readonly files: Readonly<Record<string, StagedFile>>
  /** Files that are copied into the agent's home, by their path there. They replace the settings that Assay writes. */
  readonly homeFiles?: Readonly<Record<string, StagedFile>>
}

/** Hashes of the skills and files, by name. */
export interface StagedRecord {
  readonly skills: Readonly<Record<string, string>>
  readonly files: Readonly<Record<string, string>>
  readonly homeFiles: Readonly<Record<string, string>>
}

const MOST_FILES = 10_000
const MOST_BYTES = 256 * 1024 * 1024

/**
 * Returns the hashes for the record. Throws a `UsageError` if a file is missing or if its path leads out of the
 * workspace.
 */
export function checkStaged(id: string, { skills, files, homeFiles = {} }: Staged): StagedRecord {
  const names = skills.map((folder) => basename(folder))
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new UsageError(`${id}: two of its skills are called ${twice}`)
  for (const folder of skills)
    if (!isFile(join(folder, 'SKILL.md')))
      throw new UsageError(
        `${id}: there is no skill in ${folder}: a skill is a folder with a SKILL.md`,
      )
  for (const [to, file] of [...Object.entries(files), ...Object.entries(homeFiles)]) {
    if (!isInside(to))
      throw new UsageError(`${id}: the file "${to}" does not stay in the workspace`)
    if ('from' in file && statSync(file.from, { throwIfNoEntry: false }) === undefined)
      throw new UsageError(`${id}: there is no ${file.from}, which is to become ${to}`)
  }
  return {
    skills: Object.fromEntries(skills.map((folder) => [basename(folder), hashOf(id, folder)])),
    files: hashesOf(id, files),
    homeFiles: hashesOf(id, homeFiles),
  }
}

const hashesOf = (id: string, files: Staged['files']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(files).map(([to, file]) => [
      to,
      'text' in file ? sha256().update(file.text).digest('hex') : hashOf(id, file.from),
    ]),
  )

export async function stageIn(
  workspace: TrialWorkspace,
  driven: {
    readonly id: string
    readonly kind: AgentKind
    readonly settings: AgentSettings
    readonly laid: Staged
    readonly around: { readonly env: Readonly<Record<string, string>> }
  },
): Promise<void> {
  const { kind, settings, laid, around } = driven
  const { folder, home } = workspace
  try {
    for (const skill of laid.skills) {
      const path = `${kind.skills.path}/${basename(skill)}`
      await workspace.lay(kind.skills.where, path, { from: skill })
    }
    for (const [path, file] of Object.entries(laid.files)) await workspace.lay('folder', path, file)
    for (const { where, path, text } of kind.files(settings, { folder, home, env: around.env }))
      await workspace.lay(where, path, { text })
    for (const [path, file] of Object.entries(laid.homeFiles ?? {}))
      await workspace.lay('home', path, file)
  } catch (error) {
    if (error instanceof SubjectError) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new SubjectError(
      `what ${driven.id} brings could not be copied into its workspace: ${why}`,
      {
        reason: 'workspace-failed',
        retry: false,
        cause: error,
      },
    )
  }
}

const isFile = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isFile() ?? false

const isInside = (path: string): boolean =>
  path !== '' &&
  path.length <= 1000 &&
  !isAbsolute(path) &&
  !path.includes('\0') &&
  !path.split(/[/\\]/u).some((part) => part === '..' || part === '')

const sha256 = () => createHash('sha256')

/** Returns a hash over the names and contents of all files below `root`, sorted by name. */
function hashOf(id: string, root: string): string {
  const hash = sha256()
  let files = 0
  let bytes = 0
  const add = (path: string, name: string): void => {
    files++
    const content = files > MOST_FILES ? null : contentOf(path, MOST_BYTES - bytes)
    if (content === null)
      throw new UsageError(`${id}: there is too much in ${root} to be copied into a workspace`)
    bytes += content.length
    hash.update(`${name}\0${content.length}\0`).update(content)
  }
  const walk = (folder: string, prefix: string): void => {
    const entries = readdirSync(folder, { withFileTypes: true })
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const [path, name] = [join(folder, entry.name), `${prefix}${entry.name}`]
      if (entry.isDirectory()) walk(path, `${name}/`)
      else if (entry.isFile()) add(path, name)
      else if (entry.isSymbolicLink()) hash.update(`${name}\0link\0${readlinkSync(path)}\0`)
    }
  }
  const real = realpathSync(root)
  if (statSync(real).isDirectory()) walk(real, '')
  else add(real, '')
  return hash.digest('hex')
}

/** Returns the content of a file. Returns null if the file has more than `mostBytes`. */
function contentOf(path: string, mostBytes: number): Buffer | null {
  try {
    return readOwn(path, mostBytes)
  } catch (error) {
    if (error instanceof TooLarge) return null
    throw error
  }
}
