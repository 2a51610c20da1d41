/** Deletes a run folder, with everything in it. */
import { rmSync } from 'node:fs'
import { UsageError } from '@assay/contract'
import { isLocked, isRunFolder } from '../log/index.ts'

/** Throws `UsageError` if the folder is no run any more, or if a process is writing to it. */
export function deleteRun(folder: string): void {
  if (!isRunFolder(folder)) throw new UsageError(`${folder} is no run`)
  if (isLocked(folder))
    throw new UsageError(`${folder} is being written; stop the run before you delete it`)
  rmSync(folder, { recursive: true })
}
