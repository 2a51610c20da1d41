/**
 * What the system shows of a process's environment: /proc/PID/environ is the memory that a process got its
 * variables in, and every program of the same user may read it. Deleting a variable does not change that
 * memory. It can be written like any other, though, which Node does through /proc/self/mem.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'

const EQUALS = 0x3d

interface Entry {
  readonly name: string
  /** Where its value is, from the beginning of the environment. */
  readonly from: number
  readonly to: number
}

/** The environment of a process as the system shows it; null where it does not, or not to this user. */
export function shownEnvironment(pid: number | 'self'): Buffer | null {
  try {
    return readFileSync(`/proc/${pid}/environ`)
  } catch {
    return null
  }
}

function* entriesOf(shown: Buffer): Generator<Entry> {
  for (let at = 0; at < shown.length;) {
    const end = shown.indexOf(0, at)
    const to = end === -1 ? shown.length : end
    const equals = shown.subarray(at, to).indexOf(EQUALS)
    if (equals !== -1)
      yield { name: shown.toString('utf8', at, at + equals), from: at + equals + 1, to }
    at = to + 1
  }
}

/** Whether the system shows a value of one of these variables of this process. */
export function isShownHere(names: ReadonlySet<string>): boolean {
  const shown = shownEnvironment('self') ?? Buffer.alloc(0)
  return [...entriesOf(shown)].some(({ name, from, to }) => names.has(name) && from < to)
}

/**
 * Overwrites the values of these variables in what the system shows of this process. They must be gone from
 * `process.env` already. Where the system does not let it, they stay: `exposures` finds them.
 */
export function clearShown(names: ReadonlySet<string>): void {
  const shown = shownEnvironment('self')
  const start = shown === null ? null : environmentStart()
  if (shown === null || start === null) return
  let memory: number | null = null
  try {
    memory = openSync('/proc/self/mem', 'r+')
    for (const { name, from, to } of entriesOf(shown)) {
      if (!names.has(name) || from === to) continue
      writeSync(memory, Buffer.alloc(to - from), 0, to - from, start + from)
    }
  } catch {
    // A read-only /proc, or a kernel that refuses it.
  } finally {
    if (memory !== null) closeSync(memory)
  }
}

/** The address of the environment: the 50th field of /proc/self/stat (proc_pid_stat(5)). */
function environmentStart(): number | null {
  const stat = readFileSync('/proc/self/stat', 'utf8')
  // The second field, the name of the program, may hold anything; the third comes after its bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const start = Number(fields[47])
  return Number.isSafeInteger(start) && start > 0 ? start : null
}
