/** Which process holds something, and whether it is still there, as far as can be known from here. */
import { createHash, randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

export interface Owner {
  /** Of this one holding; nothing else ever has it. */
  readonly id: string
  readonly pid: number
  readonly host: string
  /** Tells the process from another one that is given the same number; null where the system does not say. */
  readonly started: string | null
  /** Which numbering of processes `pid` is of: this boot of this machine, this container. */
  readonly space: string
}

/** This process. */
export const newOwner = (): Owner => ({
  id: randomUUID(),
  pid: process.pid,
  host: hostname(),
  started: startTime(process.pid),
  space: processSpace(),
})

/** Null where it cannot be known from here: it is of another machine or another container. */
export function isAlive({ pid, started, space }: Owner): boolean | null {
  if (space !== processSpace()) return null
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return started === null || startTime(pid) === started
}

/** Of the owner that a file names; null where it names none. */
export function parseOwner(text: string): Owner | null {
  try {
    const { id, pid, host, started, space } = JSON.parse(text) as Record<string, unknown>
    if (typeof pid !== 'number' || pid < 1 || typeof host !== 'string') return null
    return {
      // Earlier versions wrote neither of these.
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

/** Stands for an owner that cannot be read. */
export const idOfText = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 32)

/**
 * The process's start in clock ticks since boot, field 22 of its stat line; null where there is no /proc. One that has
 * died and that nobody has asked for yet has none.
 */
function startTime(pid: number): string | null {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
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
