/**
 * Decides which files of the machine a suite may use. A suite may be untrusted, so these are only the files of its
 * repository.
 */
import { existsSync, realpathSync, statSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { dirname, join, relative, resolve, sep, isAbsolute } from 'node:path'

/** Whether the path is the folder or inside it. Symbolic links in both paths must already be resolved. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

export const holdsHome = (folder: string): boolean =>
  homeFolders().some((home) => home !== '/' && isWithin(home, folder))

/**
 * The user's home folder, from the environment and from the system's accounts. In many containers, the user has no
 * account, and the environment may not name a home folder either. Then the list is empty.
 */
const homeFolders = (): string[] =>
  [homedir, () => userInfo().homedir].flatMap((find) => {
    try {
      return [find()]
    } catch {
      return []
    }
  })

/** Returns the nearest folder that contains `.git`, from this one upwards, or the folder itself if there is none. */
export function nearestRepository(folder: string): string {
  for (let at = folder; at !== dirname(at); at = dirname(at))
    if (existsSync(join(at, '.git'))) return isEverybodys(at) ? folder : at
  return folder
}

/**
 * Whether every user may write to the folder, as to `/tmp`. Another user could have created a `.git` there to make it
 * look like a repository.
 */
export const isEverybodys = (folder: string): boolean => (statSync(folder).mode & 0o002) !== 0

/**
 * Returns the folder that the programs of a suite in this folder may see. That is its repository. If the repository
 * contains a home folder, it is only the suite's own folder.
 */
export function repositoryOf(folder: string): string {
  const nearest = nearestRepository(folder)
  return holdsHome(nearest) ? folder : nearest
}

/** Returns the path with its links resolved. Null if it does not exist or is outside of the folder's repository. */
export function realPathIn(folder: string, path: string): string | null {
  try {
    const real = realpathSync(resolve(folder, path))
    return isWithin(real, repositoryOf(realpathSync(folder))) ? real : null
  } catch {
    return null
  }
}
