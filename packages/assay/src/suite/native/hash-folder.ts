/**
 * Computes the hash of a folder from the path, the type, the executable flag and the content of every entry, sorted
 * by path.
 */
import { createHash } from 'node:crypto'
import { createReadStream, type Stats } from 'node:fs'
import { lstat, readdir, readlink } from 'node:fs/promises'
import path from 'node:path'
import { isWithin } from '@assay/sandbox'

/** Limits for a folder: the number of entries and the total size. */
const MOST_ENTRIES = 100_000
const MOST_BYTES = 1024 * 1024 * 1024

/** Thrown if the folder contains something that cannot be hashed. The message says what was found. */
export class UnfitFolder extends Error {}

export interface HashFolderOptions {
  /** Returns true for a path that is left out, together with everything below it. */
  readonly skips: (inside: string, facts: Stats) => boolean
  /**
   * Whether links may lead out of the folder. For every link, only its text is hashed and not the content of its
   * target.
   */
  readonly mayLeadOut?: boolean
  /** Called for each file and link, with a hash of its kind and content. */
  readonly onEntry?: (inside: string, hash: string) => void
}

/**
 * Returns a hash of everything in the folder. Throws an `UnfitFolder` if the folder is too large, contains something
 * other than files, folders and links, or contains a link that may not lead out of it.
 */
export async function hashFolder(root: string, options: HashFolderOptions): Promise<string> {
  const hash = createHash('sha256')
  let entries = 0
  let bytes = 0
  const walk = async (at: string): Promise<void> => {
    const names = (await readdir(path.join(root, at))).sort()
    for (const name of names) {
      const inside = at === '' ? name : `${at}/${name}`
      const full = path.join(root, inside)
      const facts = await lstat(full)
      if (options.skips(inside, facts)) continue
      if (++entries > MOST_ENTRIES) throw new UnfitFolder(`more than ${MOST_ENTRIES} files`)
      if (facts.isDirectory()) {
        await walk(inside)
        continue
      }
      if (facts.isSymbolicLink()) {
        const target = await readlink(full)
        const end = path.resolve(path.dirname(full), target)
        if (options.mayLeadOut !== true && !isWithin(end, root))
          throw new UnfitFolder(`${inside}, a link that leads out of the folder`)
        hash.update(`link ${JSON.stringify([inside, target])}\n`)
        options.onEntry?.(inside, `link ${target}`)
        continue
      }
      if (!facts.isFile()) throw new UnfitFolder(`${inside}, which is neither file nor folder`)
      bytes += facts.size
      if (bytes > MOST_BYTES) throw new UnfitFolder(`more than ${MOST_BYTES / 1024 ** 2} MB`)
      const mode = (facts.mode & 0o100) === 0 ? 'file' : 'program'
      hash.update(`${mode} ${JSON.stringify(inside)} ${facts.size}\n`)
      const own = options.onEntry === undefined ? null : createHash('sha256').update(`${mode}\n`)
      for await (const chunk of createReadStream(full)) {
        hash.update(chunk as Buffer)
        own?.update(chunk as Buffer)
      }
      if (own !== null) options.onEntry?.(inside, own.digest('hex'))
    }
  }
  await walk('')
  return hash.digest('hex')
}
