/**
 * The folder in the machine's temporary one where a store keeps everything. Its name says whose it is, so
 * that the next store can remove what a killed process left; it says nothing of Assay, for where the
 * sandbox cannot move folders an agent sees it.
 */
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
} from 'node:fs'
import { join } from 'node:path'

const NAME = /^work-(\d+)-(\d+)-(\d+)-/

/** Closed to other users, without links on the way. */
export function makeRoot(temporary: string): string {
  const { pid } = process
  const name = `work-${processSpace()}-${pid}-${startOf(pid) ?? 0}-`
  return mkdtempSync(join(realpathSync(temporary), name))
}

/** Roots of ours whose process is no more. */
export function leftRoots(temporary: string): string[] {
  return readdirSync(temporary)
    .filter((name) => {
      const [, space, pid, start] = NAME.exec(name) ?? []
      // In another container the same number is somebody else.
      if (space !== processSpace() || pid === undefined) return false
      return isOurs(join(temporary, name)) && !isAlive(Number(pid), Number(start))
    })
    .map((name) => join(temporary, name))
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

/** Which numbering of processes this one is in. */
function processSpace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0'
  } catch {
    return '0'
  }
}
