/**
 * One writer per run folder. The lock is a file made with O_EXCL that names its process; it is stale
 * when that process is gone. On Linux the process's start time tells a live owner from a stranger that
 * was given the same number.
 */
import { closeSync, openSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { RunError, UsageError } from '@assay/contract'
import { openOwn } from './own-file.ts'

interface Owner {
  readonly pid: number
  readonly host: string
  readonly started: string | null
}

export const LOCK_FILE = 'lock'
/** More than any owner is. */
const MOST_BYTES = 4096

export class Lock {
  readonly #path: string

  private constructor(path: string) {
    this.#path = path
  }

  static take(folder: string): Lock {
    const path = join(folder, LOCK_FILE)
    const self: Owner = { pid: process.pid, host: hostname(), started: startTime(process.pid) }
    for (let attempt = 0; attempt < 3; attempt++) {
      try {
        const fd = openSync(path, 'wx')
        writeSync(fd, JSON.stringify(self))
        closeSync(fd)
        return new Lock(path)
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException
        if (code !== 'EEXIST')
          throw new RunError(`cannot lock ${folder}: ${message}`, { cause: error })
      }
      const owner = readOwner(path)
      if (owner !== null && isAlive(owner))
        throw new UsageError(
          `another assay (process ${owner.pid} on ${owner.host}) is writing to ${folder}. ` +
            `Wait for it, or remove ${path} if that is certainly wrong`,
        )
      rmSync(path, { force: true })
    }
    throw new RunError(`cannot lock ${folder}: somebody else keeps taking the lock`)
  }

  release(): void {
    rmSync(this.#path, { force: true })
  }
}

/** Whether some process is writing to the run folder now, as far as can be known from here. */
export function isLocked(folder: string): boolean {
  const owner = readOwner(join(folder, LOCK_FILE))
  return owner !== null && isAlive(owner)
}

function readOwner(path: string): Owner | null {
  try {
    const fd = openOwn(path)
    try {
      const bytes = Buffer.alloc(MOST_BYTES)
      return JSON.parse(bytes.toString('utf8', 0, readSync(fd, bytes))) as Owner
    } finally {
      closeSync(fd)
    }
  } catch {
    return null // gone again, or its writer died before the first byte, or no lock of ours
  }
}

function isAlive({ pid, host, started }: Owner): boolean {
  if (host !== hostname()) return true // cannot be known from here
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return started === null || startTime(pid) === started
}

/** The process's start in clock ticks since boot, field 22 of its stat line; null where there is no /proc. */
function startTime(pid: number): string | null {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    return null
  }
}
