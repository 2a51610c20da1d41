/** Identifies the process that holds a lock, and finds out whether that process still runs, where this can be known. */
import { createHash, randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

export interface Owner {
  /** A random ID. Each time a lock is taken, the owner gets a new one. */
  readonly id: string
  readonly pid: number
  readonly host: string
  /**
   * When the process started. A system may give the same pid to a later process, and the start time distinguishes the
   * two. Null if the system does not report it.
   */
  readonly started: string | null
  /** Identifies the pid namespace in which `pid` is valid: this boot of this machine, and this container. */
  readonly space: string
}

/** Returns an owner that identifies the current process, with a new ID. */
export const newOwner = (): Owner => ({
  id: randomUUID(),
  pid: process.pid,
  host: hostname(),
  started: startTime(process.pid),
  space: processSpace(),
})

/** Whether the process still runs. Null if it belongs to another machine or container, where this cannot be known. */
export function isAlive({ pid, started, space }: Owner): boolean | null {
  if (space !== processSpace()) return null
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return started === null || startTime(pid) === started
}

/** Parses the content of a lock file. Null if it does not name an owner. */
export function parseOwner(text: string): Owner | null {
  try {
    const { id, pid, host, started, space } = JSON.parse(text) as Record<string, unknown>
    if (typeof pid !== 'number' || pid < 1 || typeof host !== 'string') return null
    return {
      // Lock files of earlier versions of Assay have neither `id` nor `space`.
      id: typeof id === 'string' && /^[\w-]{1,64}$/.test(id) ? id : idOfText(text),
      space: typeof space === 'string' ? space : host === hostname() ? processSpace() : '',
      pid,
      host,
      started: typeof started === 'string' ? started : null,
    }
  } catch {
    return null
  }
}

/** Makes an ID from the text of a lock file. It is used for lock files that contain no ID. */
export const idOfText = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 32)

/**
 * Returns when the process started, in clock ticks since boot (field 22 of its stat line in /proc). Null if there is no
 * /proc, or if the process is a zombie: it has ended, but its parent has not collected its exit status.
 */
function startTime(pid: number): string | null {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name in parentheses. The name may itself contain spaces and parentheses, so the
    // fields are counted after the last parenthesis.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
    return /^[ZX]/.test(fields[0] ?? '') ? null : (fields[19] ?? null)
  } catch {
    return null
  }
}

let ownSpace: string | null = null

function processSpace(): string {
  ownSpace ??= idOfText(
    [
      ...(process.platform === 'linux' ? [] : [hostname()]),
      textOf(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
      textOf(() => readlinkSync('/proc/self/ns/pid')),
    ].join('\n'),
  )
  return ownSpace
}

function textOf(read: () => string): string {
  try {
    return read()
  } catch {
    return hostname()
  }
}
