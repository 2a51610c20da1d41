/**
 * Temporary folders whose names identify the process that created them. If that process is killed, the next start of
 * Assay can find its folders and remove them.
 *
 * A folder is removed only if its process is certainly gone. Two conditions must hold. First, the process ran in this
 * container since the last boot, because elsewhere the same number means another process. Second, no running process
 * has its number and start time.
 *
 * A folder is created under its final name. If it were renamed later, a process that is killed in between would leave
 * a folder that nobody could recognize.
 */
import { createHash } from 'node:crypto'
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder whose files are in memory, on systems that have it. */
export const MEMORY_FOLDER = '/dev/shm'

const OWNED = /-([0-9a-f]{8})-(\d+)-(\d+)-[A-Za-z0-9]{6}$/

/** Creates a folder that other users cannot access. The caller removes it. */
export function makeOwnedFolder(name: string, parent: string = tmpdir()): string {
  const { pid } = process
  return mkdtempSync(join(parent, `${name}-${processSpace()}-${pid}-${startOf(pid) ?? 0}-`))
}

/** Returns the folders of this user whose name begins with `name` and whose process is gone. */
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

/** Removes folders that killed processes of this user left. Ignores those that cannot be removed. */
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

/**
 * Returns the start time of a process, in ticks since the boot. Null if there is no such process or the system
 * does not report it.
 */
function startOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The start time is the twentieth field after the name. The name may contain any character, so it ends at the
    // last `)`.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19])
  } catch {
    return null
  }
}

let ownSpace: string | null = null

/**
 * Returns a text that identifies the boot and the container of this process. Process numbers are unique only within
 * them.
 */
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
