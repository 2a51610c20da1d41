/**
 * Lists everything in a folder, in no particular order, without following links. The content may be hostile:
 * permissions on folders are restored first, names that are not valid UTF-8 and paths that are too long are
 * left out and reported, and the number of entries is limited.
 */
import { chmodSync, readdirSync, type Dirent } from 'node:fs'
import { WorkspaceTooLarge } from '@assay/contract'

export interface Found {
  /** Relative, with forward slashes. */
  readonly path: string
  readonly kind: 'file' | 'link' | 'folder'
}

export interface WalkOptions {
  /** Paths for which this returns true are neither returned nor entered. */
  readonly skips?: (path: string) => boolean
  /** Called for each entry that is left out, with the reason and its path, as exactly as text can show it. */
  readonly odd?: Odd
}

type Odd = (path: string, why: string) => void

/** More entries than any real workspace has. */
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
 * Returns the direct entries of a folder, each with its name only. `odd` gets an empty name for the folder
 * itself.
 */
export function entriesOf(folder: string, odd?: Odd): Found[] {
  return read(folder, odd).flatMap((entry): Found[] => {
    const path = entry.name
    // The name was decoded with a replacement character, so the entry could not be opened by it.
    if (path.includes('\ufffd')) odd?.(path, 'its name is no UTF-8')
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
