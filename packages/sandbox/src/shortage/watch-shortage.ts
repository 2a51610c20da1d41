/**
 * Finds out whether the machine ran out of processes or memory while a program ran. It reads the kernel's counters
 * for the control groups that Assay's process is in. These counters increase only if a limit of one of these groups
 * was reached. They do not increase if the program reaches its own limits, because those belong to its own processes
 * and group.
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

/** Finds the groups again at each call, because this process may be moved to another group at any time. */
function here(): Hierarchies {
  const groups = readGroups() ?? ''
  if (known === null || known.groups !== groups)
    known = { groups, hierarchies: hierarchiesIn(readTables()) }
  return known.hierarchies
}
