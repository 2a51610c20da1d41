/**
 * Hashes the files that the arguments of a command name. An argument such as ./agent.py may name a program that changes
 * over time. The hash in the record says which version was measured. The hash of a folder covers everything in it,
 * except files that tools create, such as caches.
 *
 * A file or folder gets no hash if it is too large or cannot be read. A folder gets no hash if it contains the file
 * that defines the command, because it may then also contain the runs. If the command is only inspected, the user may
 * not trust it yet. In that case, nothing outside of its repository is read.
 */
import { createHash, type Hash } from 'node:crypto'
import { readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { UsageError } from '@assay/contract'
import { realPathIn } from '@assay/sandbox'
import { readOwn, TooLarge } from '../../log/index.ts'

const MOST_ENTRIES = 2000
const MOST_BYTES = 64 * 1024 * 1024
/** Folders that are not hashed, because tools create them and the author of the command did not write their content. */
const MADE = new Set(['__pycache__', 'node_modules', '.git', '.venv'])

/**
 * Returns hashes for the arguments that begin with ./ or ../ and name an existing file or folder. The keys are the
 * arguments. They are relative to `folder`, which contains the file that defines the command.
 */
export function namedContent(
  words: readonly string[],
  folder: string,
  lookOnly: boolean,
): Record<string, string> {
  return Object.fromEntries(
    [...new Set(words)]
      .filter((word) => /^\.\.?\//u.test(word))
      .flatMap((word) => {
        const path = resolve(folder, word)
        const hash =
          lookOnly && realPathIn(folder, path) === null ? null : contentHash(path, folder)
        return hash === null ? [] : [[word, hash] as const]
      }),
  )
}

function contentHash(named: string, folder: string): string | null {
  const left = { entries: MOST_ENTRIES, bytes: MOST_BYTES }
  try {
    const hash = createHash('sha256')
    const path = realpathSync(named)
    const stats = statSync(path)
    if (stats.isFile()) addFile(hash, path, '', left)
    else if (stats.isDirectory() && !holds(path, folder)) addFolder(hash, path, '', left)
    else return null
    return hash.digest('hex')
  } catch (error) {
    if (error instanceof UsageError) return null
    if ((error as NodeJS.ErrnoException).code !== undefined) return null
    throw error
  }
}

/** Whether `inner` is inside `outer` or the same folder. */
const holds = (outer: string, inner: string): boolean =>
  !/^\.\.(?:[/\\]|$)/u.test(relative(realpathSync(outer), realpathSync(inner)))

interface Left {
  entries: number
  bytes: number
}

function addFile(hash: Hash, path: string, name: string, left: Left): void {
  const content = readOwn(path, left.bytes)
  left.bytes -= content.length
  hash.update(`${JSON.stringify(name)} ${content.length}\n`).update(content)
}

/** Adds the files of a folder to the hash, sorted by name. */
function addFolder(hash: Hash, path: string, below: string, left: Left): void {
  const entries = readdirSync(path, { withFileTypes: true })
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (MADE.has(entry.name)) continue
    if (--left.entries < 0) throw new TooLarge(path)
    const [at, name] = [join(path, entry.name), `${below}${entry.name}`]
    if (entry.isDirectory()) addFolder(hash, at, `${name}/`, left)
    else if (entry.isFile()) addFile(hash, at, name, left)
    else if (entry.isSymbolicLink())
      hash.update(`${JSON.stringify(name)} link ${JSON.stringify(readlinkSync(at))}\n`)
  }
}
