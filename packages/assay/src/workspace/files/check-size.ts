/**
 * Limits the size of the files that a workspace starts from, because every trial gets a copy of them. The apparent size
 * counts, because a sparse file takes little space on the disk, but its copy may fill the disk. The size is checked after the
 * setup and before anything is copied.
 */
import { lstatSync } from 'node:fs'
import { walk } from './walk.ts'
import { WorkspaceError } from '../workspace-error.ts'

const GB = 1024 ** 3
const MOST_BYTES = 4 * GB

/** Throws a `WorkspaceError` if the folder contains more than `most` bytes. */
export function checkSize(folder: string, most = MOST_BYTES): void {
  let bytes = 0
  let largest = { path: '', size: 0 }
  for (const { path, kind } of walk(folder)) {
    if (kind !== 'file') continue
    const { size } = lstatSync(`${folder}/${path}`)
    bytes += size
    if (size > largest.size) largest = { path, size }
  }
  if (bytes > most)
    throw new WorkspaceError(
      `the setup leaves files of ${(bytes / GB).toFixed(1)} GB, and every trial would get a copy: at most ${(most / GB).toFixed(1)} GB are taken. The largest is ${largest.path}`,
    )
}
