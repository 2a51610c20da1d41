/**
 * Where a repository keeps what is in it, found by reading its files and never by asking git, which would
 * heed the repository's settings. Nothing of it may be a link, because a link can lead to another repository
 * of the user's.
 */
import { type Stats, lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isWithin } from '@assay/sandbox'
import { GitSourceError } from './git-source-error.ts'

export interface GitFolders {
  /** With HEAD. */
  readonly own: string
  /** With branches, tags and settings: the same, but for a linked worktree. */
  readonly common: string
  /** With objects: its own folder first, then those that it borrows from. */
  readonly objects: readonly string[]
}

const MOST_TEXT = 1024 * 1024

/** Null where nothing is there. */
function statsOf(path: string): Stats | null {
  const stats = lstatSync(path, { throwIfNoEntry: false }) ?? null
  if (stats?.isSymbolicLink() === true)
    throw new GitSourceError(`a repository whose ${basename(path)} is a link`)
  return stats
}

/** Of a regular file; null where there is none. */
export function textAt(path: string): string | null {
  const stats = statsOf(path)
  if (stats === null || !stats.isFile() || stats.size > MOST_TEXT) return null
  return readFileSync(path, 'utf8')
}

const isFolder = (path: string): boolean => statsOf(path)?.isDirectory() ?? false

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
    refuseLinks(folder)
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

function borrowedFrom(objects: string): string[] {
  const named = textAt(join(objects, 'info', 'alternates')) ?? ''
  const lines = named.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return lines.map((line) => {
    const folder = line.startsWith('"') ? null : realPath(objects, line)
    if (folder === null) throw new GitSourceError('a repository whose borrowed objects are missing')
    return folder
  })
}

function refuseLinks(folder: string): void {
  if (!isFolder(folder)) throw new GitSourceError('a repository without objects')
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) refuseLinks(join(folder, entry.name))
    else if (!entry.isFile()) throw new GitSourceError('a repository with links among its objects')
  }
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
    const [, worktree] =
      /^\s*worktree\s*=\s*(\S.*?)\s*$/mu.exec(textAt(join(own, 'config')) ?? '') ?? []
    const isSubmodule = common === own && worktree !== undefined && realPath(own, worktree) === root
    return isWorktree || isSubmodule ? [root, common] : [root]
  } catch (error) {
    if (error instanceof GitSourceError) return [root]
    throw error
  }
}
