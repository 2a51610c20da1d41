/**
 * Everything in a folder, in no order, without following a link. Whoever filled the folder may be hostile:
 * folders that are closed to us are opened first, names that are no UTF-8 and paths longer than the system
 * takes are left out and told, and there is an end to the number of entries.
 */
import { chmodSync, readdirSync, type Dirent } from 'node:fs'
import { WorkspaceTooLarge } from '@assay/contract'

export interface Found {
  /** Relative, with forward slashes. */
  readonly path: string
  readonly kind: 'file' | 'link' | 'folder'
}

export interface WalkOptions {
  /** Neither told nor entered. */
  readonly skips?: (path: string) => boolean
  /** Called with what is left out, by a path as near to its own as text can be, and why. */
  readonly odd?: Odd
}

type Odd = (path: string, why: string) => void

/** Beyond it, nobody has put the files there by hand. */
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

/** What is directly in a folder, by its name alone; the empty name is the folder's own. */
export function entriesOf(folder: string, odd?: Odd): Found[] {
  return read(folder, odd).flatMap((entry): Found[] => {
    const path = entry.name
    // By such a name it could not be opened.
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
