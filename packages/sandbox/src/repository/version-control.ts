/**
 * Finds the folders in which programs for version control keep their data. Their settings often contain a login, for
 * example in the address of a remote repository, and their history contains what the user has committed. No suite and
 * no program of a suite may read them.
 */
import { lstatSync, readdirSync, readFileSync, realpathSync, type Dirent } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { isWithin } from './repository.ts'
import { SandboxError } from '../sandbox.ts'

/** More entries than this are not searched. A repository with all of its installed packages has far fewer. */
const MOST_ENTRIES = 2_000_000
/** The limit on folders that are hidden, because each of them needs a mount. */
const MOST_FOUND = 1000
/** After this many folders, other work gets its turn. Reading them one by one without waiting is three times as fast. */
const TURN = 500
/** The size limit of a `.git` file, which contains only one path. */
const MOST_LINK_BYTES = 8192

/** Matches the names that programs for version control give to their folders. */
const FOLDER = /^(?:\.(?:git|hg|jj|svn|bzr|sl|pijul)|_darcs)$/i

/**
 * Whether a file system may treat this name as that of a folder for version control. Some file systems ignore case,
 * invisible characters, or dots and spaces at the end of a name. Some also have short names, such as `git~1`.
 */
export const isVersionControl = (name: string): boolean =>
  /^(?:(?:\.(?:git|hg|jj|svn|bzr|sl|pijul)|_darcs)[. ]*|(?:git|hg|jj|svn|bzr|sl|pijul|_darcs)~\d+)(?::.*)?$/iu.test(
    name.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, ''),
  )

/**
 * Returns the folders for version control in a repository, at any depth: also those of repositories inside of it, and
 * folders that a `.git` file or a link names. With `all`, bare repositories, which may have any name, are among them.
 * Throws if there are too many files to search. Links to other folders are not followed. The path of the repository
 * must not contain links.
 */
export async function versionControlFolders(
  repository: string,
  which: 'all' | 'named' = 'all',
): Promise<string[]> {
  const found = new Set<string>()
  const add = (path: string | null): void => {
    if (path !== null && path !== repository && isWithin(path, repository)) found.add(path)
  }
  const waiting = [repository]
  let entries = 0
  let folders = 0
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    if (++folders % TURN === 0) await setImmediate()
    const inside = entriesOf(folder)
    entries += inside.length
    if (entries > MOST_ENTRIES || found.size > MOST_FOUND)
      throw new SandboxError(
        `${repository} has too many files or repositories in it to find all logins that programs of a suite must not see: use a smaller folder`,
      )
    if (which === 'all' && folder !== repository && isBare(inside)) {
      add(folder)
      continue
    }
    for (const entry of inside)
      if (FOLDER.test(entry.name)) add(folderAt(join(folder, entry.name)))
      else if (entry.isDirectory()) waiting.push(`${folder}/${entry.name}`)
  }
  return [...found]
}

/** Returns the entries of a folder. A folder that the user may not read is empty: no program of the user sees more. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** Whether a folder with these entries is a git repository without files, or the data of one under another name. */
const isBare = (inside: readonly Dirent[]): boolean =>
  inside.some(({ name }) => name === 'HEAD') &&
  ['objects', 'refs', 'config'].every((wanted) => inside.some(({ name }) => name === wanted))

/**
 * Returns the real path of the folder at this path. If there is a `.git` file instead, returns the folder that the file
 * names. Null if there is neither.
 */
function folderAt(path: string): string | null {
  try {
    const real = realpathSync(path)
    const at = lstatSync(real)
    if (at.isDirectory()) return real
    if (!at.isFile() || at.size > MOST_LINK_BYTES) return null
    const [, target] = /^gitdir:\s*(.+?)\s*$/m.exec(readFileSync(real, 'utf8')) ?? []
    return target === undefined ? null : realpathSync(resolve(dirname(real), target))
  } catch {
    return null
  }
}
