/** Which files belong to a suite: those of the repository that it is in, and no others of the machine. */
import { existsSync, realpathSync, statSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { dirname, join, relative, resolve, sep, isAbsolute } from 'node:path'

/** Both without links on the way. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

export const holdsHome = (folder: string): boolean =>
  [homedir(), userInfo().homedir].some((home) => home !== '/' && isWithin(home, folder))

/** The nearest folder with `.git`, from this one upwards; the folder itself where there is none. */
export function nearestRepository(folder: string): string {
  for (let at = folder; at !== dirname(at); at = dirname(at))
    if (existsSync(join(at, '.git'))) return isEverybodys(at) ? folder : at
  return folder
}

/** A folder such as /tmp, where another user may have put what makes it look like a repository. */
export const isEverybodys = (folder: string): boolean => (statSync(folder).mode & 0o002) !== 0

/** What a suite in this folder may show to its programs. A repository that holds a home folder is too much. */
export function repositoryOf(folder: string): string {
  const nearest = nearestRepository(folder)
  return holdsHome(nearest) ? folder : nearest
}

/** The path without links; null where nothing is there, or it leads out of the repository of the folder. */
export function realPathIn(folder: string, path: string): string | null {
  try {
    const real = realpathSync(resolve(folder, path))
    return isWithin(real, repositoryOf(realpathSync(folder))) ? real : null
  } catch {
    return null
  }
}
