/**
 * Reads from the kernel how often programs reached limits: each control group has files with such counters. When the
 * kernel refuses to start a process, the kernel's version decides which group counts the refusal. Version 1 of
 * control groups, and version 2 before Linux 6.11, count it in the group of the refused program, even if the limit of
 * a group above it was reached. Later kernels count it in the group whose limit was reached (`pids.events.local`).
 */
import { readFileSync } from 'node:fs'
import type { Hierarchies, Hierarchy } from './hierarchy.ts'

/** Counters by the path of their file. A counter never decreases. */
export type Counts = ReadonlyMap<string, number>

/**
 * Reads a number from a file. The file contains only that number, or lines of a name and a number. Returns null
 * if the file or the name does not exist.
 */
export function numberIn(path: string, name?: string): number | null {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return null
  }
  const found =
    name === undefined
      ? text.trim()
      : text
          .split('\n')
          .find((line) => line.startsWith(`${name} `))
          ?.slice(name.length + 1)
  if (found === undefined) return null
  if (found === 'max') return Infinity
  return /^\d+$/.test(found) ? Number(found) : null
}

/**
 * How often the kernel refused to start a process. Depending on the kernel version, this counts refusals to processes
 * of this group, or refusals because of this group's limit.
 */
export const refusals = (folder: string): number | null =>
  numberIn(`${folder}/pids.events.local`, 'max') ?? numberIn(`${folder}/pids.events`, 'max')

/** How often the memory of the group ran out and one of its processes was killed. */
export const kills = (folder: string, version: 1 | 2): number | null =>
  version === 1
    ? numberIn(`${folder}/memory.oom_control`, 'oom_kill')
    : (numberIn(`${folder}/memory.events.local`, 'oom_kill') ??
      numberIn(`${folder}/memory.events`, 'oom_kill'))

/** How often an allocation failed because of the group's own memory limit. */
const exhaustions = (folder: string): number | null =>
  numberIn(`${folder}/memory.events.local`, 'oom') ?? numberIn(`${folder}/memory.events`, 'oom')

/**
 * The number of processes on the whole machine that were killed because memory ran out. It is used if there is no
 * memory controller, because then no group counts them.
 */
const machineKills = (): number | null => numberIn('/proc/vmstat', 'oom_kill')

/** Reads the counters of these groups and of the machine. */
export function countsOf({ pids, memory }: Hierarchies): Record<'memory' | 'processes', Counts> {
  return {
    processes: counted(pids, (folder) => refusals(folder)),
    memory:
      memory === null
        ? countsIn([['machine', machineKills()]])
        : counted(memory, (folder, version) => {
            const killed = kills(folder, version)
            const exhausted = version === 1 ? null : exhaustions(folder)
            return killed === null && exhausted === null ? null : (killed ?? 0) + (exhausted ?? 0)
          }),
  }
}

const counted = (
  hierarchy: Hierarchy | null,
  count: (folder: string, version: 1 | 2) => number | null,
): Counts =>
  countsIn(
    (hierarchy?.groups ?? []).map((folder) => [folder, count(folder, hierarchy?.version ?? 2)]),
  )

export const countsIn = (all: readonly (readonly [string, number | null])[]): Counts =>
  new Map(all.flatMap(([name, count]) => (count === null ? [] : [[name, count] as const])))

/** Whether one of the counters increased. A counter that did not exist before is ignored. */
export const grew = (before: Counts, after: Counts): boolean =>
  [...after].some(([name, count]) => count > (before.get(name) ?? Infinity))
