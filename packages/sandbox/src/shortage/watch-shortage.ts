/**
 * Finds out whether the machine ran out of processes or memory while a program ran. The kernel's counters show
 * whether a limit of a control group that this process is in was reached. If the program reaches its own limits,
 * these counters do not change, because its limits belong to its processes or to its own group.
 */
import { countsOf, grew } from '../control-group/events.ts'
import {
  hierarchiesIn,
  readGroups,
  readTables,
  type Hierarchies,
} from '../control-group/hierarchy.ts'
import type { Short } from '../control-group/program-group.ts'

/** Starts to watch. Returns a function that returns the resource that has run out since then, or null. */
export function watchShortage(around: () => Hierarchies = here): () => Short | null {
  const hierarchies = around()
  const before = countsOf(hierarchies)
  return () => {
    const after = countsOf(hierarchies)
    if (grew(before.processes, after.processes)) return 'processes'
    return grew(before.memory, after.memory) ? 'memory' : null
  }
}

let known: { readonly groups: string; readonly hierarchies: Hierarchies } | null = null

/** This process may be moved to another group at any time, so the group is looked up each time. */
function here(): Hierarchies {
  const groups = readGroups() ?? ''
  if (known === null || known.groups !== groups)
    known = { groups, hierarchies: hierarchiesIn(readTables()) }
  return known.hierarchies
}
