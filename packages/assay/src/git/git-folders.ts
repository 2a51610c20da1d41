/**
 * Finds the folders in which a repository keeps its data. It reads the repository's files itself and does not
 * run git, because git would apply the repository's settings. None of these files and folders may be a symbolic
 * link, because a link could lead to another repository of the user.
 */
import { isUtf8 } from 'node:buffer'
import { type Stats, lstatSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isWithin } from '@assay/sandbox'
import { GitSourceError, sourceError } from './git-source-error.ts'

export interface GitFolders {
  /** The folder that contains HEAD. */
  readonly own: string
  /** The folder that contains branches, tags and settings. It differs from `own` only in a linked worktree. */
  readonly common: string
  /**
   * The folders that contain objects: first the repository's own folder, then the folders in its
   * `info/alternates`, from which it borrows objects.
   */
  readonly objects: readonly string[]
}

const MOST_TEXT = 1024 * 1024
/** The limit on folders with objects. Git itself follows a chain of at most five such folders. */
const MOST_FOLDERS = 100

/** Returns the file's properties; null if nothing exists at the path. Throws if it is a symbolic link. */
function statsOf(path: string): Stats | null {
  const stats = lstatSync(path, { throwIfNoEntry: false }) ?? null
  if (stats?.isSymbolicLink() === true)
    throw new GitSourceError(`a repository whose ${basename(path)} is a link`)
  return stats
}

/**
 * Returns the text of a regular file; null if there is no such file. Throws if git could read the text but
 * Assay cannot. Such a file is never skipped.
 */
export function textAt(path: string): string | null {
  const bytes = bytesAt(path)
  if (bytes !== null && (!isUtf8(bytes) || bytes.includes(0)))
    throw new GitSourceError(`a repository whose ${basename(path)} is not valid UTF-8 text`)
  return bytes?.toString('utf8') ?? null
}

/**
 * Returns the text of the git settings. It is not checked for valid UTF-8, because the settings may contain a
 * name in any encoding.
 */
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

/** Returns the path with all symbolic links resolved; null if nothing exists there. */
function realPath(...parts: readonly string[]): string | null {
  try {
    return realpathSync(resolve(...parts))
  } catch {
    return null
  }
}

/**
 * Returns the folders of the repository. `repository` must be a path without symbolic links. All of the
 * folders must be inside one of `allowed`; null allows any folder.
 */
export function gitFolders(repository: string, allowed: readonly string[] | null): GitFolders {
  const [own, common] = gitFoldersOf(repository)
  const inside = (path: string): string => {
    if (allowed === null || allowed.some((folder) => isWithin(path, folder))) return path
    throw new GitSourceError('a repository that keeps a part of itself elsewhere')
  }
  inside(own)
  const objects = new Set([inside(join(inside(common), 'objects'))])
  // The loop adds folders to `objects` and visits them too.
  for (const folder of objects) {
    if (!isFolder(folder)) throw new GitSourceError('a repository without objects')
    if (objects.size > MOST_FOLDERS)
      throw new GitSourceError(`a repository that borrows from more than ${MOST_FOLDERS} others`)
    for (const other of borrowedFrom(folder)) objects.add(inside(other))
  }
  return { own, common, objects: [...objects] }
}

/** Finds the folders without a look at objects. */
export function gitFoldersOf(repository: string): readonly [own: string, common: string] {
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
  if (own === null) throw new GitSourceError('a folder that is not a repository of its own')
  const common = textAt(join(own, 'commondir'))
  return [own, (common === null ? own : realPath(own, common.trim())) ?? own]
}

const isGitFolder = (path: string): boolean =>
  textAt(join(path, 'HEAD')) !== null &&
  isFolder(join(path, 'objects')) &&
  isFolder(join(path, 'refs'))

/** Returns the folder that the file `.git` of a linked worktree or a submodule points to. */
function pointedTo(repository: string, pointer: string): string | null {
  const [, path] = /^gitdir: (.+?)\r?\n*$/u.exec(pointer) ?? []
  return path === undefined ? null : realPath(repository, path)
}

/**
 * Reads the list of folders from which the repository borrows objects (`info/alternates`). The rules are git's,
 * except that a quoted name is an error.
 */
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
 * Returns the folders that belong to the repository of a suite: its folder and, for a linked worktree or a
 * submodule, also the folder where git keeps its data. That second folder must point back to the first.
 * Anybody can write a `.git` file that points to one of the user's repositories, but only the user can make
 * that repository point back.
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
