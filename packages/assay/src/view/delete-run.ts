/** Deletes a run folder, with everything in it. */
import { closeSync, openSync, readSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '@assay/contract'
import { isLocked, isRunFolder } from '../log/index.ts'

/** Throws `UsageError` if the folder is not a run any more, or if a process is writing to it. */
export function deleteRun(folder: string): void {
  if (!isRunFolder(folder)) throw new UsageError(`${folder} is not a run`)
  if (!isOurs(folder))
    throw new UsageError(
      `${folder} has a run.json that Assay did not write; delete the folder by hand`,
    )
  if (isLocked(folder))
    throw new UsageError(`${folder} is being written; stop the run before you delete it`)
  rmSync(folder, { recursive: true })
}

/**
 * Whether Assay wrote the record. A damaged one can be deleted too, but not the project of another program that has a file
 * of this name.
 */
function isOurs(folder: string): boolean {
  const start = Buffer.alloc(200)
  const file = openSync(join(folder, 'run.json'), 'r')
  try {
    const length = readSync(file, start, 0, start.length, 0)
    return /^\s*\{\s*"assay":\s*"run"/u.test(start.toString('utf8', 0, length))
  } finally {
    closeSync(file)
  }
}
