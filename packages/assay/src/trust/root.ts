/**
 * The repository that a file belongs to: the nearest folder above it with `.git`, else the nearest with `assay.toml`,
 * else its own folder. A folder that contains the user's home folder does not count: all of the user's files would
 * belong to it. Links on the way to the folder are followed. A link in place of the file is not, because the paths in
 * the file are relative to where the user named it.
 */
import { existsSync, realpathSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { UsageError } from '@assay/contract'

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
  homes().some((home) => home !== sep && !isOutside(relative(folder, realFolder(home))))

/**
 * Returns the home folder according to the environment and to the system. The system has none for a user without an
 * account.
 */
function homes(): string[] {
  try {
    return [homedir(), userInfo().homedir]
  } catch {
    return [homedir()]
  }
}

/** Resolves links in a path. If the folder does not exist, those of its nearest existing parent are resolved. */
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

/** Throws if a file that Assay reads without asking is a link that leads out of its repository. */
export function checkInRepository(file: string): void {
  if (isOutsideRoot(rootOfFile(file), file))
    throw new UsageError(
      `${file} is a link that leads out of the repository, to ${realFolder(file)}: it is not read`,
    )
}

const isOutside = (path: string): boolean =>
  path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)
