/**
 * Limits the size of the initial content of a workspace, because every trial gets a copy of it. What counts is the
 * length of the files, not the space that they take on the disk. A sparse file takes little space, but its copy may
 * fill the disk. The check happens after the setup and before the first copy.
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
