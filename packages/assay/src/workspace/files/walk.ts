/**
 * Lists everything in a folder, in no particular order. The content may be hostile. Links are not followed. If this
 * process may not read a folder, it first gives itself the permission. Names that are not valid UTF-8 and paths that
 * are too long are left out and reported. The number of entries is limited.
 */
import { chmodSync, readdirSync, type Dirent } from 'node:fs'
import { WorkspaceTooLarge } from '@assay/contract'

export interface Found {
  /** The path relative to the folder, with forward slashes. */
  readonly path: string
  readonly kind: 'file' | 'link' | 'folder'
}

export interface WalkOptions {
  /** Paths for which this returns true are neither returned nor entered. */
  readonly skips?: (path: string) => boolean
  /**
   * Called with the path of each entry that is left out, and the reason. In a path that is not valid UTF-8, the invalid
   * bytes are replaced by replacement characters.
   */
  readonly odd?: Odd
}

type Odd = (path: string, why: string) => void

/** The most entries that are listed. No real workspace has more. */
const MOST_ENTRIES = 1_000_000
const OPEN_FOLDER = 0o700

export function* walk(root: string, options: WalkOptions = {}): Generator<Found> {
  const { skips, odd } = options
  const folders = ['']
  let entries = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const below = folder === '' ? '' : `${folder}/`
    const told: Odd = (name, why) => {
      const path = name === '' ? folder : `${below}${name}`
      if (skips?.(path) !== true) odd?.(path, why)
    }
    for (const { path: name, kind } of entriesOf(`${root}/${folder}`, told)) {
      if (++entries > MOST_ENTRIES)
        throw new WorkspaceTooLarge(`holds more than ${MOST_ENTRIES} files`)
      const path = `${below}${name}`
      if (skips?.(path) === true) continue
      if (kind === 'folder') folders.push(path)
      yield { path, kind }
    }
  }
}

/**
 * Returns the direct entries of a folder. The path of each entry is only its name. If the folder's own path is too
 * long, `odd` is called with an empty name.
 */
export function entriesOf(folder: string, odd?: Odd): Found[] {
  return read(folder, odd).flatMap((entry): Found[] => {
    const path = entry.name
    // Node has put a replacement character into this name, because the name is not valid UTF-8. So this is not the real
    // name, and the entry cannot be opened with it.
    if (path.includes('\ufffd')) odd?.(path, 'its name is not valid UTF-8')
    else if (entry.isFile()) return [{ path, kind: 'file' }]
    else if (entry.isSymbolicLink()) return [{ path, kind: 'link' }]
    else if (entry.isDirectory()) return [{ path, kind: 'folder' }]
    else odd?.(path, 'neither a file nor a folder nor a link')
    return []
  })
}

function read(folder: string, odd?: Odd): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENAMETOOLONG') {
      odd?.('', 'its path is too long')
      return []
    }
    if (code !== 'EACCES') throw error
    chmodSync(folder, OPEN_FOLDER)
    return readdirSync(folder, { withFileTypes: true })
  }
}
