import { accessSync, constants } from 'node:fs'
import { tmpdir } from 'node:os'

/**
 * The folder in which a test makes its own, if it writes thousands of files as a run does: each is synced, and a disk
 * takes milliseconds for that, but memory does not. Without such a folder it is the one for temporary files.
 */
export const MEMORY = ((): string => {
  const memory = '/dev/shm'
  try {
    accessSync(memory, constants.W_OK | constants.X_OK)
    return memory
  } catch {
    return tmpdir()
  }
})()
