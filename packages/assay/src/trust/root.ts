/**
 * Finds the repository that a file belongs to. This is the nearest parent folder with `.git`, otherwise the nearest
 * one with `assay.toml`, otherwise the file's own folder. A folder that contains the user's home folder does not
 * count, because all of the user's files would belong to it. Links in the path of the folder are followed. If the
 * file itself is a link, it is not followed, because paths inside the file are relative to where the user named it.
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
 * Returns the repository of a run folder. If a run folder has no repository of its own and is inside the repository
 * that the user works in, it belongs to that one.
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

/** Whether the path is outside the repository, or is a link that leads out of it. */
export const isOutsideRoot = (root: string, path: string): boolean =>
  isOutside(relative(root, realFolder(path)))

/**
 * Throws if the file is a link that leads out of its repository. This is for files that Assay reads without asking
 * the user.
 */
export function checkInRepository(file: string): void {
  if (isOutsideRoot(rootOfFile(file), file))
    throw new UsageError(
      `${file} is a link that leads out of the repository, to ${realFolder(file)}: it is not read`,
    )
}

/**
 * Throws if the path of a folder that Assay wants to create or change goes through a link that leads out of a
 * repository. Somebody else may have put that link there. A user who really wants that folder can name its real
 * path. For a file that will be replaced, the caller passes the file's folder.
 */
export function checkWrittenHere(path: string): void {
  const found = linkOut(path) ?? linkOut(resolve(path))
  if (found !== null)
    throw new UsageError(
      `${path} leads out of this repository through a link, to ${found}: nothing was written there. Name the real folder`,
    )
}

/**
 * Throws if the path of a file goes through a link that leads out of a repository. This is for files that Assay
 * reads and, if they are not valid, quotes in a message.
 */
export function checkReadHere(path: string): void {
  const found = linkOut(path) ?? linkOut(resolve(path))
  if (found !== null)
    throw new UsageError(
      `${path} leads out of this repository through a link, to ${found}: it is not read. Name the real file`,
    )
}

/**
 * Returns the target of the first link on a path that lies in a repository and leads out of it. Null if there is
 * none. It looks at the repository that the user works in and at each repository that the path goes through.
 * The steps of the path are followed one by one, as the operating system does. There, `link/..` is the parent of the
 * link's target. Code that joins paths removes `link/..` instead. So callers also check the joined path.
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

/**
 * Returns the target of a path. If a link leads to a path that does not exist, that path is returned, because
 * writing would create it.
 */
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
