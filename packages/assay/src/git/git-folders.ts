/**
 * Where a repository keeps what is in it, found by reading its files and never by asking git, which would
 * heed the repository's settings. Nothing of it may be a link, because a link can lead to another repository
 * of the user's.
 */
import { isUtf8 } from 'node:buffer'
import { type Stats, lstatSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isWithin } from '@assay/sandbox'
import { GitSourceError, sourceError } from './git-source-error.ts'

export interface GitFolders {
  /** With HEAD. */
  readonly own: string
  /** With branches, tags and settings: the same, but for a linked worktree. */
  readonly common: string
  /** With objects: its own folder first, then those that it borrows from. */
  readonly objects: readonly string[]
}

const MOST_TEXT = 1024 * 1024
/** With objects; git itself follows a chain of five. */
const MOST_FOLDERS = 100

/** Null where nothing is there. */
function statsOf(path: string): Stats | null {
  const stats = lstatSync(path, { throwIfNoEntry: false }) ?? null
  if (stats?.isSymbolicLink() === true)
    throw new GitSourceError(`a repository whose ${basename(path)} is a link`)
  return stats
}

/** Of a regular file; null where there is none. What git would read and this cannot is refused, never skipped. */
export function textAt(path: string): string | null {
  const bytes = bytesAt(path)
  if (bytes !== null && (!isUtf8(bytes) || bytes.includes(0)))
    throw new GitSourceError(`a repository whose ${basename(path)} is not valid UTF-8 text`)
  return bytes?.toString('utf8') ?? null
}

/** The settings, which may hold a name in any encoding. */
export const settingsAt = (folder: string): string =>
  bytesAt(join(folder, 'config'))?.toString('utf8') ?? ''

function bytesAt(path: string): Buffer | null {
  const stats = statsOf(path)
  if (stats === null || !stats.isFile()) return null
  if (stats.size > MOST_TEXT)
    throw new GitSourceError(
      `a repository whose ${basename(path)} has more than ${MOST_TEXT} bytes`,
    )
  return readFileSync(path)
}

export const isFolder = (path: string): boolean => statsOf(path)?.isDirectory() ?? false

/** Without links on the way; null where nothing is there. */
function realPath(...parts: readonly string[]): string | null {
  try {
    return realpathSync(resolve(...parts))
  } catch {
    return null
  }
}

/** `repository` is a path without links. `allowed`: folders that all of it must be in; null for any. */
export function gitFolders(repository: string, allowed: readonly string[] | null): GitFolders {
  const [own, common] = gitFoldersOf(repository)
  const inside = (path: string): string => {
    if (allowed === null || allowed.some((folder) => isWithin(path, folder))) return path
    throw new GitSourceError('a repository that keeps a part of itself elsewhere')
  }
  inside(own)
  const objects = new Set([inside(join(inside(common), 'objects'))])
  // Those added on the way are visited as well.
  for (const folder of objects) {
    if (!isFolder(folder)) throw new GitSourceError('a repository without objects')
    if (objects.size > MOST_FOLDERS)
      throw new GitSourceError(`a repository that borrows from more than ${MOST_FOLDERS} others`)
    for (const other of borrowedFrom(folder)) objects.add(inside(other))
  }
  return { own, common, objects: [...objects] }
}

function gitFoldersOf(repository: string): readonly [own: string, common: string] {
  const inner = join(repository, '.git')
  const pointer = textAt(inner)
  const own =
    pointer !== null
      ? pointedTo(repository, pointer)
      : isFolder(inner)
        ? inner
        : isGitFolder(repository)
          ? repository
          : null
  if (own === null) throw new GitSourceError('a folder that is no repository of its own')
  const common = textAt(join(own, 'commondir'))
  return [own, (common === null ? own : realPath(own, common.trim())) ?? own]
}

const isGitFolder = (path: string): boolean =>
  textAt(join(path, 'HEAD')) !== null &&
  isFolder(join(path, 'objects')) &&
  isFolder(join(path, 'refs'))

/** Of the file `.git` of a linked worktree or a submodule. */
function pointedTo(repository: string, pointer: string): string | null {
  const [, path] = /^gitdir: (.+?)\r?\n*$/u.exec(pointer) ?? []
  return path === undefined ? null : realPath(repository, path)
}

/** As git reads its list, but for a name in quotes. */
function borrowedFrom(objects: string): string[] {
  const info = join(objects, 'info')
  const named = isFolder(info) ? (textAt(join(info, 'alternates')) ?? '') : ''
  const lines = named.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return lines.map((line) => {
    const folder = line.startsWith('"') ? null : realPath(objects, line)
    if (folder === null) throw new GitSourceError('a repository whose borrowed objects are missing')
    return folder
  })
}

/**
 * What belongs to the repository that a suite is in: its folder and, for a linked worktree or a submodule,
 * where git keeps it. That place must name the folder in turn: anybody can write a file `.git` that points
 * to a repository of the user's, but only the user can make that one point back.
 */
export function ownFolders(root: string): readonly string[] {
  try {
    const [own, common] = gitFoldersOf(root)
    const isWorktree =
      dirname(dirname(own)) === common &&
      basename(dirname(own)) === 'worktrees' &&
      realPath(own, (textAt(join(own, 'gitdir')) ?? '').trim()) === join(root, '.git')
    const [, worktree] = /^\s*worktree\s*=\s*(\S.*?)\s*$/mu.exec(settingsAt(own)) ?? []
    const isSubmodule = common === own && worktree !== undefined && realPath(own, worktree) === root
    return isWorktree || isSubmodule ? [root, common] : [root]
  } catch (error) {
    if (sourceError(error) instanceof GitSourceError) return [root]
    throw error
  }
}
