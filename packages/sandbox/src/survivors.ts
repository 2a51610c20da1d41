/**
 * Kills processes that a program left running. Most of them are in the program's process group. A process that starts
 * its own session leaves that group. On Linux, Assay finds such processes too, by a mark: an environment variable
 * that every descendant inherits.
 */
import { readdirSync, readFileSync } from 'node:fs'

/** The environment variable that contains the mark. A command may read it to tell its trials apart. */
export const MARK_VARIABLE = 'ASSAY_TRIAL'

/**
 * How often to search for processes and kill them, at most. A program may start new processes faster than they are
 * killed. Then only the limits of the machine stop it.
 */
const MOST_ROUNDS = 5

/** Sends a signal to every process of the group that `leader` leads. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(process.platform === 'win32' ? leader : -leader, signal)
  } catch {
    // The group has no process left.
  }
}

/**
 * Whether no process of the group is alive. A dead process stays in the process table until its parent waits for it.
 * In some containers the first process never waits for its children, so dead processes stay forever. With `thorough`,
 * the state of each member is checked too. That is slow, because the list of all processes must be read.
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

/** Whether the process is alive and in the group that `leader` leads. */
export function livesIn(pid: number, leader: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The fields after the name: state, parent, group. The name may contain any character.
    const [state = '', , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(group) === leader && !'ZX'.includes(state)
  } catch {
    return false
  }
}

/** Kills all processes of the group that `leader` leads, and all other processes with this mark. */
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
        // The process has already ended.
      }
    }
  }
}

/**
 * Returns the processes whose environment contains the mark. Dead processes have no environment, so they are not
 * found. Descendants of `leader` have greater process numbers, unless the kernel has started again from low numbers.
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

/** The number of the newest process; 0 if the system does not report it. */
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
    // The process belongs to another user, or is gone.
    return Buffer.alloc(0)
  }
}
