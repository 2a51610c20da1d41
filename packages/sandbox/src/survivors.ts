/**
 * Ends what a program left running. All that it starts is in one process group, unless a program asks for
 * a session of its own; on Linux even those are found, by a mark in the environment that every descendant
 * inherits.
 */
import { readdirSync, readFileSync } from 'node:fs'

/** The variable that carries the mark; a command may use it to tell its trials apart. */
export const MARK_VARIABLE = 'ASSAY_TRIAL'

/** Something that starts new processes faster than they can be found is left to the machine's limits. */
const MOST_ROUNDS = 5

/** Sends a signal to every process of the group that `leader` leads. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(process.platform === 'win32' ? leader : -leader, signal)
  } catch {
    // Nobody is left in it.
  }
}

/**
 * Whether nobody of the group lives. A dead one that was not collected still holds its place; where the
 * system's first process collects nobody, as in many containers, that is for ever, so `thorough` looks at
 * what state the members are in, which costs a walk over all processes.
 */
export function groupIsGone(leader: number, thorough: boolean): boolean {
  try {
    process.kill(process.platform === 'win32' ? leader : -leader, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
  return (
    thorough && process.platform === 'linux' && !processes().some((pid) => livesIn(pid, leader))
  )
}

/** Whether this process is in that group and not dead, be it collected or not. */
export function livesIn(pid: number, leader: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // After the name, which may hold anything: state, parent, group.
    const [state = '', , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(group) === leader && !'ZX'.includes(state)
  } catch {
    return false
  }
}

/** Kills the group and whatever else carries the mark. */
export function killSurvivors(leader: number, mark: string): void {
  signalGroup(leader, 'SIGKILL')
  if (process.platform !== 'linux') return
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const found = carriersOf(mark, leader)
    if (found.length === 0) return
    for (const pid of found) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It ended by itself meanwhile.
      }
    }
  }
}

/**
 * The processes whose environment holds the mark; those that are dead already have none. Descendants of
 * `leader` have greater numbers than it, unless the system has begun to count anew.
 */
export function carriersOf(mark: string, leader = 0): number[] {
  const least = lastNumber() < leader ? 0 : leader
  return processes().filter((pid) => pid > least && environmentOf(pid).includes(mark))
}

function processes(): number[] {
  try {
    return readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry))
      .map(Number)
  } catch {
    return []
  }
}

/** The number that was given to a process last; 0 where the system does not tell. */
function lastNumber(): number {
  try {
    return Number(readFileSync('/proc/loadavg', 'utf8').trim().split(' ').at(-1)) || 0
  } catch {
    return 0
  }
}

function environmentOf(pid: number): Buffer {
  try {
    return readFileSync(`/proc/${pid}/environ`)
  } catch {
    // Another user's, or gone.
    return Buffer.alloc(0)
  }
}
