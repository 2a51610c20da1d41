/**
 * Temporary folders whose names say whose they are, so that the next start can remove what a killed process left. A
 * folder is removed only where its process is certainly gone: it was of this boot of this machine and of this container
 * (elsewhere the same number is another process), and no process has its number and its start. The name is made
 * together with the folder, so that there is no moment without it.
 */
import { createHash } from 'node:crypto'
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'

/** In memory, where the system has such a folder. */
export const MEMORY_FOLDER = '/dev/shm'

const OWNED = /-([0-9a-f]{8})-(\d+)-(\d+)-[A-Za-z0-9]{6}$/

/** A new folder, closed to other users. Whoever makes it removes it. */
export function makeOwnedFolder(name: string, parent: string = tmpdir()): string {
  const { pid } = process
  return mkdtempSync(join(parent, `${name}-${processSpace()}-${pid}-${startOf(pid) ?? 0}-`))
}

/** Folders of ours whose name begins so and whose process is no more. */
export function abandonedFolders(name: string, parent: string): string[] {
  let names: string[]
  try {
    names = readdirSync(parent)
  } catch {
    return []
  }
  return names
    .filter((one) => one.startsWith(`${name}-`) && isAbandoned(one) && isOurs(join(parent, one)))
    .map((one) => join(parent, one))
}

/** Removes what killed processes of this user left. What cannot be removed stays. */
export async function removeAbandonedFolders(
  parents: readonly string[] = [tmpdir(), MEMORY_FOLDER],
): Promise<void> {
  const folders = parents.flatMap((parent) => abandonedFolders('assay', parent))
  await Promise.allSettled(folders.map((folder) => rm(folder, { recursive: true, force: true })))
}

function isAbandoned(name: string): boolean {
  const [, space, pid, start] = OWNED.exec(name) ?? []
  return space === processSpace() && pid !== undefined && !isAlive(Number(pid), Number(start))
}

function isOurs(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats?.isDirectory() === true && stats.uid === (process.getuid?.() ?? stats.uid)
}

function isAlive(pid: number, start: number): boolean {
  const found = startOf(pid)
  if (found !== null) return found === start || start === 0
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** In ticks since the machine started; null where there is no such process, or the system does not tell. */
function startOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // After the name, which may hold anything, it is the twentieth.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19])
  } catch {
    return null
  }
}

let ownSpace: string | null = null

/** Which numbering of processes this one is in. */
function processSpace(): string {
  ownSpace ??= createHash('sha256')
    .update(known(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')))
    .update(known(() => readlinkSync('/proc/self/ns/pid')))
    .digest('hex')
    .slice(0, 8)
  return ownSpace
}

function known(read: () => string): string {
  try {
    return read()
  } catch {
    return hostname()
  }
}
