/**
 * Finds the repository that a file belongs to: the nearest folder above it with `.git`, or else the nearest one with
 * `assay.toml`, or else the file's own folder. A folder that contains the user's home folder does not count, because
 * all of the user's files would belong to it. Links in the path of the folder are followed. If the file itself is a
 * link, it is not followed, because the paths inside the file are relative to where the user named it.
 */
import { existsSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { UsageError } from '@assay/contract'
import { homeFolders } from '../environment/index.ts'

const SETTINGS_FILE = 'assay.toml'

export function repositoryRoot(folder: string): string {
  const start = realFolder(folder)
  return above(start, '.git') ?? above(start, SETTINGS_FILE) ?? start
}

export const rootOfFile = (file: string): string => repositoryRoot(dirname(resolve(file)))

/**
 * Returns the repository of a run folder. A run folder without its own repository belongs to the one that the user
 * works in.
 */
export function rootOfRun(folder: string): string {
  const own = repositoryRoot(folder)
  const here = repositoryRoot('.')
  return own === realFolder(folder) && !isOutsideRoot(here, own) ? here : own
}

function above(start: string, name: string): string | null {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, name))) return holdsHome(folder) ? null : folder
    if (dirname(folder) === folder) return null
  }
}

const holdsHome = (folder: string): boolean =>
  homeFolders().some((home) => home !== sep && !isOutside(relative(folder, realFolder(home))))

/** Resolves links in a path. If the folder does not exist, resolves the links of its nearest existing parent. */
function realFolder(folder: string): string {
  for (let at = resolve(folder); ; at = dirname(at)) {
    try {
      return join(realpathSync(at), relative(at, resolve(folder)))
    } catch {
      if (dirname(at) === at) return resolve(folder)
    }
  }
}

/** Returns the path relative to the repository, or the absolute path if it is outside. Links are followed. */
export function withinRoot(root: string, path: string): string {
  const real = realFolder(path)
  const inside = relative(root, real)
  if (inside === '') return '.'
  return isOutside(inside) ? real : inside.split(sep).join('/')
}

/** Whether the path is outside the repository, or is a link that leads there. */
export const isOutsideRoot = (root: string, path: string): boolean =>
  isOutside(relative(root, realFolder(path)))

/**
 * Throws if the file is a link that leads out of its repository. Used for files that Assay reads without asking the
 * user.
 */
export function checkInRepository(file: string): void {
  if (isOutsideRoot(rootOfFile(file), file))
    throw new UsageError(
      `${file} is a link that leads out of the repository, to ${realFolder(file)}: it is not read`,
    )
}

const isOutside = (path: string): boolean =>
  path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)
