/**
 * Lists everything in a folder, in no particular order, without following links. The content may be hostile. If
 * the permission to read a folder is missing, it is restored first. Names that are not valid UTF-8 and paths
 * that are too long are left out and reported. The number of entries is limited.
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
   * Called for each entry that is left out, with its path and the reason. If the path is not valid UTF-8, the
   * given path contains replacement characters.
   */
  readonly odd?: Odd
}

type Odd = (path: string, why: string) => void

/** The limit on entries. No real workspace has more. */
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
 * Returns the direct entries of a folder. Their paths are only their names. `odd` gets an empty name if the
 * folder's own path is too long.
 */
export function entriesOf(folder: string, odd?: Odd): Found[] {
  return read(folder, odd).flatMap((entry): Found[] => {
    const path = entry.name
    // The name contains a replacement character, so it is not the entry's real name and cannot be used to open
    // it.
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
