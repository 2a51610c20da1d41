/**
 * Turns a used copy of a start into a fresh one. Every file whose stamp has changed since it was copied is removed and
 * copied again. Files that were only read stay. If the entries or the properties of a folder have changed, a new folder
 * replaces it, and its untouched files are moved there. For 5,000 files, this is a fraction of the work of removing and
 * copying everything, because creating many files is slow on some file systems. For example, ext4 searches a long time
 * for an inode number that was not freed recently.
 */
import { lstatSync, renameSync } from 'node:fs'
import { copyFile, copyLink, copyTree } from './copy.ts'
import { makeFolder, type Owner } from './location.ts'
import { removeTree } from './remove.ts'
import { stampAt, stampOf, type Stamps } from './fingerprint.ts'
import { entriesOf, type Found } from './walk.ts'

export interface RestoreRequest {
  readonly folder: string
  readonly start: string
  /** The stamps of the files right after the copy was made. Files that were added later are not included. */
  readonly stamps: Stamps
  /** A path next to the folder, where nothing exists. New folders are built here. */
  readonly spare: string
  readonly owner: Owner
}

/**
 * Restores the copy and returns its new stamps. Throws if something cannot be moved or read. The copy must then not be
 * used again.
 */
export function restore(request: RestoreRequest): Stamps {
  const stamps: Stamps = new Map()
  restoreFolder('', request, stamps)
  return stamps
}

function restoreFolder(path: string, request: RestoreRequest, stamps: Stamps): void {
  const { folder, start, spare, owner, stamps: old } = request
  const below = path === '' ? '' : `${path}/`
  const here = `${folder}/${path}`
  const isOld = old.get(`${path}/`) === stampAt(here)
  const kept: Found[] = []
  const lost: Found[] = []
  for (const found of entriesOf(`${start}/${path}`)) {
    const at = `${below}${found.path}`
    const stats = lstatSync(`${folder}/${at}`, { bigint: true, throwIfNoEntry: false })
    const stamp = stats === undefined ? null : stampOf(stats)
    if (found.kind === 'folder' && stats?.isDirectory() === true) {
      restoreFolder(at, request, stamps)
      kept.push(found)
    } else if (found.kind !== 'folder' && stamp !== null && old.get(at) === stamp) {
      stamps.set(at, stamp)
      kept.push(found)
    } else lost.push(found)
  }
  if (!isOld || lost.length > 0) {
    makeFolder(spare, owner)
    for (const { path: name } of kept) renameSync(`${here}/${name}`, `${spare}/${name}`)
    for (const found of lost) bring(found, below, request, stamps)
    removeTree(here)
    renameSync(spare, here)
    // Moving a file changes its ctime, which is part of its stamp. So all stamps are read again.
    for (const { path: name, kind } of [...kept, ...lost])
      stamps.set(`${below}${name}${kind === 'folder' ? '/' : ''}`, stampAt(`${here}/${name}`))
  }
  stamps.set(`${path}/`, stampAt(here))
}

/** Copies one entry (a file, link or folder) from the case's initial files into the new folder. */
function bring(
  { path, kind }: Found,
  below: string,
  request: RestoreRequest,
  stamps: Stamps,
): void {
  const { start, spare, owner } = request
  const [from, to] = [`${start}/${below}${path}`, `${spare}/${path}`]
  if (kind === 'file') copyFile(from, to, owner)
  else if (kind === 'link') copyLink(from, to, owner)
  else
    for (const [inside, stamp] of copyTree(from, to, { owner }))
      if (inside !== '/') stamps.set(`${below}${path}/${inside}`, stamp)
}
