/**
 * A repository of Assay's own that has the commits, branches and tags of another: it borrows that one's
 * objects and copies its refs as text. Settings, hooks and remotes are not taken over, so git that runs here
 * reads only what Assay has written, and data. Objects that the other lacks are simply missing.
 */
import { copyFileSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gitFolders, textAt } from './git-folders.ts'
import { GitSourceError } from './git-source-error.ts'

export type ObjectFormat = 'sha1' | 'sha256'

/** `into` is a path where nothing is. */
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
 * `repository` is a path without links, `into` one where nothing is. `allowed`: folders that all of the
 * repository must be in; null for any. Throws a `GitSourceError`.
 */
export function privateRepository(
  repository: string,
  allowed: readonly string[] | null,
  into: string,
): void {
  const { own, common, objects } = gitFolders(repository, allowed)
  if (objects.some((folder) => /[\r\n]/u.test(folder)))
    throw new GitSourceError('a repository in a folder with a line break in its name')
  const settings = textAt(join(common, 'config')) ?? ''
  // Read as text: git would follow what it includes.
  const isSha256 = /^\s*objectformat\s*=\s*"?sha256"?\s*$/imu.test(settings)
  emptyRepository(into, isSha256 ? 'sha256' : 'sha1')
  writeFileSync(
    join(into, 'objects', 'info', 'alternates'),
    objects.map((one) => `${one}\n`).join(''),
  )
  const head = textAt(join(own, 'HEAD'))
  if (head !== null && REF.test(head)) writeFileSync(join(into, 'HEAD'), head)
  copyFile(join(common, 'packed-refs'), join(into, 'packed-refs'))
  copyFile(join(common, 'shallow'), join(into, 'shallow'))
  copyRefs(join(common, 'refs'), join(into, 'refs'))
}

/** The hash of a commit, or the name of another ref. */
const REF = /^(?:[0-9a-f]{40}|[0-9a-f]{64}|ref: refs\/[^\0\r\n]+)\s*$/u

function copyFile(from: string, to: string): void {
  const stats = lstatSync(from, { throwIfNoEntry: false })
  if (stats === undefined) return
  if (!stats.isFile()) throw new GitSourceError('a repository with links among its branches')
  copyFileSync(from, to)
}

function copyRefs(from: string, to: string): void {
  const stats = lstatSync(from, { throwIfNoEntry: false })
  if (stats === undefined) return
  if (!stats.isDirectory()) throw new GitSourceError('a repository with links among its branches')
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) copyRefs(source, target)
    else if (!entry.isFile()) throw new GitSourceError('a repository with links among its branches')
    else {
      const text = textAt(source)
      if (text !== null && REF.test(text)) writeFileSync(target, text)
    }
  }
}
