/**
 * Finds the repository that a file belongs to: the nearest folder above it with `.git`, or else the nearest one with
 * `assay.toml`, or else the file's own folder. A folder that contains the user's home folder does not count, because
 * all of the user's files would belong to it. Links in the path of the folder are followed. If the file itself is a
 * link, it is not followed, because the paths inside the file are relative to where the user named it.
 */
import { existsSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path'
import { UsageError } from '@assay/contract'
import { homeFolders } from '../environment/index.ts'

const SETTINGS_FILE = 'assay.toml'

export function repositoryRoot(folder: string): string {
  const start = realFolder(folder)
  return markedRoot(start) ?? start
}

const markedRoot = (start: string): string | null =>
  above(start, '.git') ?? above(start, SETTINGS_FILE)

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

/**
 * Throws if a folder that Assay is about to create or to change is reached through a link that lies in a repository and
 * leads out of it. The link may come from somebody else. A user who names the real folder gets it. For a file that takes
 * the place of what is there, the caller passes the file's folder.
 */
export function checkWrittenHere(path: string): void {
  const found = linkOut(path) ?? linkOut(resolve(path))
  if (found !== null)
    throw new UsageError(
      `${path} leads out of this repository through a link, to ${found}: nothing was written there. Name the real folder`,
    )
}

/** The same for a file that Assay reads and quotes when it is not what it should be. */
export function checkReadHere(path: string): void {
  const found = linkOut(path) ?? linkOut(resolve(path))
  if (found !== null)
    throw new UsageError(
      `${path} leads out of this repository through a link, to ${found}: it is not read. Name the real file`,
    )
}

/**
 * Returns where the first link on a path leads that lies in a repository and leads out of it, or null. Counts for links
 * in the repository that the user works in, and in another one that the path goes through. The steps are taken one by
 * one, as the system takes them: `link/..` is the folder above the place that the link leads to. For code that joins
 * paths, `link/..` is nothing, so callers check the joined path too.
 */
function linkOut(path: string): string | null {
  const here = repositoryRoot('.')
  let at = isAbsolute(path) ? parse(path).root : realFolder('.')
  for (const step of path.split(sep === '/' ? '/' : /[\\/]/u)) {
    if (step === '') continue
    const next = join(at, step)
    const real = followed(next)
    const isOut = (root: string | null): boolean =>
      root !== null && !isOutside(relative(root, at)) && isOutside(relative(root, real))
    if (real !== next && (isOut(here) || isOut(markedRoot(at)))) return real
    at = real
  }
  return null
}

/** Returns where a path leads. A link that leads nowhere counts as its goal, which would be created. */
function followed(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    try {
      return realFolder(resolve(dirname(path), readlinkSync(path)))
    } catch {
      return path
    }
  }
}

const isOutside = (path: string): boolean =>
  path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)
