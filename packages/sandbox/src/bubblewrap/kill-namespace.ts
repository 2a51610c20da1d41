/**
 * The end of an open program. It has a /proc, and where it is of the same user as the first process in its
 * namespace it can write to that one's memory, make it leave our group and stay. What it cannot change is
 * that process's number and parent; so that one is looked up before the group is killed, and killed by its
 * number. The kernel takes all others of the namespace along.
 */
import { readFileSync } from 'node:fs'
import { groupIsGone, signalGroup } from '../survivors.ts'
import type { Ending } from '../sandboxed-process.ts'

interface Known {
  readonly pid: number
  /** When it began: numbers are given again. */
  readonly since: string
}

/** `leader`: bubblewrap outside. `first`: the number of the first process inside; null before it is told. */
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
        // It ended meanwhile.
      }
    },
    // Nobody was killed: bubblewrap outside ends after the one inside.
    isGone: (thorough) => (known === null ? groupIsGone(leader, thorough) : !lives(known)),
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

function stateOf(
  pid: number,
): { readonly letter: string; readonly parent: number; readonly since: string } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // After the name, which may hold anything: the third field and those that follow.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { letter: fields[0] ?? '', parent: Number(fields[1]), since: fields[19] ?? '' }
  } catch {
    return null
  }
}
