/** Removes control groups: those of programs that ended, and those that a killed Assay process left. */
import { readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { abandonedFolders } from '../owned-folder.ts'

/** The beginning of the name of an Assay process's group. */
export const GROUP_NAME = 'assay-group'

/**
 * Removes the group and returns whether it is gone. The kernel counts a process for a moment after it has died, and
 * refuses to remove the group until then.
 */
export function isRemoved(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

/** Removes a group and the groups inside it. Kills the processes that are still in them. */
export function removeGroups(folder: string): void {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const below = foldersIn(folder).map((name) => `${folder}/${name}`)
    for (const group of [...below, folder]) for (const pid of membersOf(group)) kill(pid)
    for (const group of below) isRemoved(group)
    if (isRemoved(folder)) return
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TRY_MS)
  }
}

const MOST_TRIES = 20
const TRY_MS = 5

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
  } catch {
    return []
  }
}

/**
 * Removes groups that killed Assay processes left. Programs that still run in such a group are killed, because no
 * Assay process watches them.
 */
export function removeAbandonedGroups(parent: string): void {
  for (const folder of abandonedFolders(GROUP_NAME, parent)) removeGroups(folder)
}

function membersOf(group: string): number[] {
  try {
    const pids = readFileSync(`${group}/cgroup.procs`, 'utf8').split('\n').map(Number)
    // The kernel lists a process as 0 if it is outside of our process namespace. A signal to process 0 would go to
    // our own process group.
    return pids.filter((pid) => pid > 1)
  } catch {
    return []
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has already ended.
  }
}
