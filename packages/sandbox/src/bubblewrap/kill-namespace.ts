/**
 * Kills an agent (a program with `open`) and every process that it started. Killing the process group is not enough.
 * An agent has a `/proc`. If it runs as the same user as the first process of its namespace, it can write to that
 * process's memory and make it leave our process group. It cannot change the number and the parent of that process.
 * So Assay looks up the first process before it kills the group, and then kills that process by its number. The
 * kernel then ends all other processes of the namespace.
 */
import { readFileSync } from 'node:fs'
import { groupIsGone, signalGroup } from '../survivors.ts'
import type { Ending } from '../sandboxed-process.ts'

interface Known {
  readonly pid: number
  /** When the process started. The kernel reuses process numbers, so the number alone could mean another process. */
  readonly since: string
}

/**
 * Returns how to kill an agent, and how to check that it is gone. `leader` is the process of bubblewrap outside the
 * sandbox. `first` returns the number of the first process inside; null until it is known.
 */
export function endOfAll(
  leader: number,
  first: () => number | null,
): Pick<Ending, 'kill' | 'isGone'> {
  let known: Known | null = null
  return {
    kill() {
      known ??= childOf(leader, first())
      signalGroup(leader, 'SIGKILL')
      if (known === null || !lives(known)) return
      try {
        process.kill(known.pid, 'SIGKILL')
      } catch {
        // The process has already ended.
      }
    },
    // An agent that ends by itself was not looked up before. If no process has the number of the first process inside,
    // that one has ended. Otherwise the process group is checked. Bubblewrap's process outside belongs to it and ends
    // after the one inside.
    isGone: (thorough) =>
      known === null ? isEnded(first()) || groupIsGone(leader, thorough) : !lives(known),
  }
}

function childOf(parent: number, pid: number | null): Known | null {
  const state = pid === null ? null : stateOf(pid)
  return pid === null || state?.parent !== parent ? null : { pid, since: state.since }
}

function lives({ pid, since }: Known): boolean {
  const state = stateOf(pid)
  return state?.since === since && !'ZX'.includes(state.letter)
}

/**
 * Whether no process with this number is alive. The dead process may stay in the process table, because bubblewrap's
 * process outside may end first, and the machine's first process may wait for it late or never.
 */
function isEnded(pid: number | null): boolean {
  if (pid === null) return false
  const state = stateOf(pid)
  if (state !== null) return 'ZX'.includes(state.letter)
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

function stateOf(
  pid: number,
): { readonly letter: string; readonly parent: number; readonly since: string } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The fields are split after the last `)`, because the second field, the program's name in parentheses, may contain
    // any character. So `fields[0]` is the third field.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { letter: fields[0] ?? '', parent: Number(fields[1]), since: fields[19] ?? '' }
  } catch {
    return null
  }
}
