/**
 * Creates a private repository with the commits, branches and tags of another repository. It links to the other
 * repository's objects and copies its refs as text. It does not copy settings, hooks, remotes or `info/alternates`. So
 * git in the private repository reads only objects, refs, and the settings that Assay has written. If the other
 * repository lacks some objects, they are missing here too.
 */
import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type GitFolders, gitFolders, isFolder, settingsAt, textAt } from './git-folders.ts'
import { GitSourceError, sourceError } from './git-source-error.ts'

export type ObjectFormat = 'sha1' | 'sha256'

/** Creates an empty repository at `into`. Nothing may exist there yet. */
export function emptyRepository(into: string, format: ObjectFormat): void {
  mkdirSync(join(into, 'objects', 'info'), { recursive: true })
  mkdirSync(join(into, 'refs'))
  writeFileSync(join(into, 'HEAD'), 'ref: refs/heads/main\n')
  const settings =
    format === 'sha1'
      ? '[core]\n\trepositoryformatversion = 0\n\tbare = true\n'
      : '[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n'
  writeFileSync(join(into, 'config'), settings)
}

/**
 * Creates the private repository at `into`, where nothing may exist yet. `repository` must be a path without symbolic
 * links. All of its files must be inside one of the `allowed` folders. If `allowed` is null, any folder is allowed.
 * Throws a `GitSourceError` if the repository cannot be read.
 */
export function privateRepository(
  repository: string,
  allowed: readonly string[] | null,
  into: string,
): void {
  try {
    copyOf(gitFolders(repository, allowed), into)
  } catch (error) {
    throw sourceError(error)
  }
}

function copyOf({ own, common, objects }: GitFolders, into: string): void {
  // The settings are searched as text, because git would also read the other files that the settings include.
  const isSha256 = /^\s*objectformat\s*=\s*"?sha256"?\s*$/imu.test(settingsAt(common))
  emptyRepository(into, isSha256 ? 'sha256' : 'sha1')
  for (const [index, folder] of objects.entries()) linkObjects(folder, join(into, `${index}`))
  writeFileSync(
    join(into, 'objects', 'info', 'alternates'),
    objects.map((_, index) => `../${index}\n`).join(''),
  )
  const head = textAt(join(own, 'HEAD'))
  if (head !== null && REF.test(head)) writeFileSync(join(into, 'HEAD'), head)
  copyFile(join(common, 'packed-refs'), join(into, 'packed-refs'))
  copyFile(join(common, 'shallow'), join(into, 'shallow'))
  copyRefs(join(common, 'refs'), join(into, 'refs'))
}

const LOOSE = /^[0-9a-f]{2}$/u
const PACK = /^[\w-]+\.(?:pack|idx)$/u

/**
 * Links the loose objects and packs of an `objects` folder, and nothing else. Anybody may have written the repository,
 * and its other files could lead Git to objects outside of it (`info/alternates`) or tell it false things about the
 * objects (the multi-pack index, the commit graph).
 */
function linkObjects(from: string, into: string): void {
  mkdirSync(join(into, 'pack'), { recursive: true })
  for (const name of readdirSync(from).filter((one) => LOOSE.test(one))) {
    filesIn(join(from, name))
    symlinkSync(join(from, name), join(into, name))
  }
  const packs = join(from, 'pack')
  if (!isFolder(packs)) return
  for (const name of filesIn(packs).filter((one) => PACK.test(one)))
    symlinkSync(join(packs, name), join(into, 'pack', name))
}

function filesIn(folder: string): string[] {
  if (!isFolder(folder)) throw new GitSourceError('a repository with files in place of folders')
  const entries = readdirSync(folder, { withFileTypes: true }).filter((one) => !one.isDirectory())
  if (entries.some((entry) => !entry.isFile()))
    throw new GitSourceError('a repository with links among its objects')
  return entries.map(({ name }) => name)
}

/** Matches the content of a ref: the hash of a commit, or the name of another ref. */
const REF = /^(?:[0-9a-f]{40}|[0-9a-f]{64}|ref: refs\/[^\0\r\n]+)\s*$/u

function copyFile(from: string, to: string): void {
  const stats = lstatSync(from, { throwIfNoEntry: false })
  if (stats === undefined) return
  if (!stats.isFile()) throw new GitSourceError('a repository with links among its branches')
  copyFileSync(from, to)
}

/**
 * The most nested folders of branches. Real branch names have fewer, and a path with this many folders is not too long
 * for the system.
 */
const MOST_DEPTH = 100

function copyRefs(from: string, to: string, depth = 0): void {
  if (depth > MOST_DEPTH)
    throw new GitSourceError(`a repository with branches more than ${MOST_DEPTH} folders deep`)
  const stats = lstatSync(from, { throwIfNoEntry: false })
  if (stats === undefined) return
  if (!stats.isDirectory()) throw new GitSourceError('a repository with links among its branches')
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) copyRefs(source, target, depth + 1)
    else if (!entry.isFile()) throw new GitSourceError('a repository with links among its branches')
    else {
      const text = textAt(source)
      if (text !== null && REF.test(text)) writeFileSync(target, text)
    }
  }
}
