/**
 * The repository that a file belongs to: the nearest folder above it with `.git`, else the nearest with `assay.toml`,
 * else its own folder. One that holds the user's home folder is too much: all of the user's files would belong to it. Links on the way to the folder are followed; a link in place of the file is not, because the
 * paths that the file names are relative to where it is named.
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

/** Of a run folder: without a repository of its own it belongs to the one that the user works in. */
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

/** As the environment says and as the system does, which knows no home of a user without a name. */
function homes(): string[] {
  try {
    return [homedir(), userInfo().homedir]
  } catch {
    return [homedir()]
  }
}

/** A folder that does not exist belongs to the repository of the one that would hold it. */
function realFolder(folder: string): string {
  for (let at = resolve(folder); ; at = dirname(at)) {
    try {
      return join(realpathSync(at), relative(at, resolve(folder)))
    } catch {
      if (dirname(at) === at) return resolve(folder)
    }
  }
}

/** The path within the repository; the absolute one where it is outside. Links are followed. */
export function withinRoot(root: string, path: string): string {
  const real = realFolder(path)
  const inside = relative(root, real)
  if (inside === '') return '.'
  return isOutside(inside) ? real : inside.split(sep).join('/')
}

/** Whether the path is outside of the repository, or a link that leads there. */
export const isOutsideRoot = (root: string, path: string): boolean =>
  isOutside(relative(root, realFolder(path)))

/** Refuses a file that is read unasked where it is a link that leads out of its repository. */
export function checkInRepository(file: string): void {
  if (isOutsideRoot(rootOfFile(file), file))
    throw new UsageError(
      `${file} is a link that leads out of the repository, to ${realFolder(file)}: it is not read`,
    )
}

const isOutside = (path: string): boolean =>
  path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)
