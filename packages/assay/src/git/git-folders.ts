/**
 * Finds the folders in which a repository keeps its data. The code reads the repository's files itself and does not run
 * git, because git would apply the repository's settings. None of these files and folders may be a symbolic link,
 * because a link could lead to another repository of the user.
 */
import { isUtf8 } from 'node:buffer'
import { type Stats, lstatSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isWithin } from '@assay/sandbox'
import { GitSourceError, sourceError } from './git-source-error.ts'

export interface GitFolders {
  /** The folder that contains HEAD. */
  readonly own: string
  /** The folder that contains branches, tags and settings. It is the same as `own`, except in a linked worktree. */
  readonly common: string
  /**
   * The folders that contain git objects. The first one is the repository's own. The others are listed in its file
   * `info/alternates`, and it uses their objects too.
   */
  readonly objects: readonly string[]
}

const MOST_TEXT = 1024 * 1024
/** The most folders with objects that are read. Git itself follows a chain of at most five such folders. */
const MOST_FOLDERS = 100

/** Returns the properties of the file, or null if nothing exists at the path. Throws if the path is a symbolic link. */
function statsOf(path: string): Stats | null {
  const stats = lstatSync(path, { throwIfNoEntry: false }) ?? null
  if (stats?.isSymbolicLink() === true)
    throw new GitSourceError(`a repository whose ${basename(path)} is a link`)
  return stats
}

/**
 * Returns the text of a regular file, or null if there is no such file. Throws if the file is not valid text. Such a
 * file is not skipped, because git might still read it.
 */
export function textAt(path: string): string | null {
  const bytes = bytesAt(path)
  if (bytes !== null && (!isUtf8(bytes) || bytes.includes(0)))
    throw new GitSourceError(`a repository whose ${basename(path)} is not valid UTF-8 text`)
  return bytes?.toString('utf8') ?? null
}

/**
 * Returns the text of the repository's git settings. They may contain a name in any encoding, so this function does not
 * require valid UTF-8.
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

/** Returns the path with all symbolic links resolved, or null if nothing exists at the path. */
function realPath(...parts: readonly string[]): string | null {
  try {
    return realpathSync(resolve(...parts))
  } catch {
    return null
  }
}

/**
 * Returns the folders of the repository. `repository` must be a path without symbolic links. Throws if one of the
 * folders is outside of the `allowed` folders. If `allowed` is null, any folder is allowed.
 */
export function gitFolders(repository: string, allowed: readonly string[] | null): GitFolders {
  const [own, common] = gitFoldersOf(repository)
  const inside = (path: string): string => {
    if (allowed === null || allowed.some((folder) => isWithin(path, folder))) return path
    throw new GitSourceError('a repository that keeps a part of itself elsewhere')
  }
  inside(own)
  const objects = new Set([inside(join(inside(common), 'objects'))])
  // The loop also visits the folders that it adds to `objects`.
  for (const folder of objects) {
    if (!isFolder(folder)) throw new GitSourceError('a repository without objects')
    if (objects.size > MOST_FOLDERS)
      throw new GitSourceError(`a repository that borrows from more than ${MOST_FOLDERS} others`)
    for (const other of borrowedFrom(folder)) objects.add(inside(other))
  }
  return { own, common, objects: [...objects] }
}

/** Returns the `own` and the `common` folder of a repository, but does not look for object folders. */
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

/**
 * Returns the folder that a `.git` file points to. Linked worktrees and submodules have such a file instead of a
 * folder.
 */
function pointedTo(repository: string, pointer: string): string | null {
  const [, path] = /^gitdir: (.+?)\r?\n*$/u.exec(pointer) ?? []
  return path === undefined ? null : realPath(repository, path)
}

/**
 * Reads the file `info/alternates`, which lists the folders whose objects the repository also uses. The rules are the
 * same as in git, except that a quoted name is an error.
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
 * Returns the folders that belong to a suite's repository. The first is the repository's folder. A linked worktree or a
 * submodule also has a folder in which git keeps its data. That second folder counts only if it points back to the
 * first. Anybody can write a `.git` file that points to one of the user's repositories, but only the user can make that
 * repository point back.
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
