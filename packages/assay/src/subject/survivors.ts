/**
 * Ends what a command left running. All that it starts is in one process group, unless a program asks for
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

/** Kills the group and whatever else carries the mark. */
export function killSurvivors(leader: number, mark: string): void {
  signalGroup(leader, 'SIGKILL')
  if (process.platform !== 'linux') return
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const found = carriersOf(mark)
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

/** The processes whose environment holds the mark; those that are dead already have none. */
export function carriersOf(mark: string): number[] {
  let entries: string[]
  try {
    entries = readdirSync('/proc')
  } catch {
    return []
  }
  return entries
    .filter((entry) => /^\d+$/.test(entry) && environmentOf(entry).includes(mark))
    .map(Number)
}

function environmentOf(pid: string): Buffer {
  try {
    return readFileSync(`/proc/${pid}/environ`)
  } catch {
    // Another user's, or gone.
    return Buffer.alloc(0)
  }
}
