/**
 * The environment that Linux shows for a process. The file /proc/PID/environ shows the memory in which the process
 * received its variables, and every program of the same user can read it. Deleting a variable from `process.env` does
 * not change that memory. But the process can overwrite the memory through /proc/self/mem.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'

const EQUALS = 0x3d

interface Entry {
  readonly name: string
  /** The positions at which the value starts and ends, in bytes from the beginning of the environment. */
  readonly from: number
  readonly to: number
}

/** The environment of a process as the system shows it. Null if the system does not show it to this user. */
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

/** Whether the system shows a non-empty value of one of these variables for this process. */
export function isShownHere(names: ReadonlySet<string>): boolean {
  const shown = shownEnvironment('self') ?? Buffer.alloc(0)
  return [...entriesOf(shown)].some(({ name, from, to }) => names.has(name) && from < to)
}

/**
 * Overwrites the values of these variables in the environment that the system shows for this process. The caller must
 * already have deleted the variables from `process.env`. If the system refuses the write, the values stay visible, and
 * `exposures` reports them.
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
    // The write failed: /proc is read-only, or the kernel does not allow it.
  } finally {
    if (memory !== null) closeSync(memory)
  }
}

/**
 * Returns the memory address of the environment, which is field 50 of /proc/self/stat (see proc_pid_stat(5)). Returns
 * null if the address is not known.
 */
function environmentStart(): number | null {
  const stat = readFileSync('/proc/self/stat', 'utf8')
  // Field 2 is the program's name in brackets, and it can contain any character, even brackets and spaces. So the
  // fields are counted from the last bracket, which field 3 follows.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const start = Number(fields[47])
  return Number.isSafeInteger(start) && start > 0 ? start : null
}
