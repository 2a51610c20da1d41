/**
 * Creates control groups as folders in the kernel's cgroup file system. Not every process may do that. In version 1
 * of control groups, the process must be root. In version 2, it must be in a part of the hierarchy where a group
 * above it has enabled controllers for the groups below.
 */
import { accessSync, constants, mkdirSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { makeOwnedFolder } from '../owned-folder.ts'
import { available, forOne, type Amounts } from './available.ts'
import { countsIn, grew, kills, numberIn, refusals, type Counts } from './events.ts'
import { wordsOf, type Controller, type Hierarchies } from './hierarchy.ts'
import { NOTHING_REACHED, type GroupEnd, type ProgramGroups } from './program-group.ts'
import { GROUP_NAME, isRemoved, removeAbandonedGroups, removeGroups } from './remove-groups.ts'

/** A folder in which control groups can be created. */
export interface Parent {
  readonly version: 1 | 2
  readonly folder: string
  readonly controllers: readonly Controller[]
  /**
   * The groups above a program's group. Each of them counts what its own limit refused. Empty in version 1, which
   * counts all refusals in the program's group.
   */
  readonly above: readonly string[]
}

export function parentsIn({ pids, memory }: Hierarchies): Parent[] {
  const first = ([pids, memory] as const).flatMap((hierarchy, index): Parent[] =>
    hierarchy?.version === 1
      ? [
          {
            version: 1,
            folder: hierarchy.groups[0],
            controllers: [index === 0 ? 'pids' : 'memory'],
            above: [],
          },
        ]
      : [],
  )
  if (first.length > 0) {
    const [one, other] = first
    // If one hierarchy has both controllers, their folders are the same, and one group is enough.
    return one !== undefined && one.folder === other?.folder
      ? [{ ...one, controllers: ['pids', 'memory'] }]
      : first
  }
  const groups = pids?.groups ?? memory?.groups ?? []
  // In version 2, a group that contains processes cannot enable controllers for groups below it. So the group of this
  // process cannot do it, but a group above it may have done it.
  const index = groups.findIndex((one) => givenBelow(one).length > 0 && canMoveIn(one))
  const [folder, ...rest] = index === -1 ? [] : groups.slice(index)
  return folder === undefined
    ? []
    : [{ version: 2, folder, controllers: givenBelow(folder), above: [folder, ...rest] }]
}

const givenBelow = (folder: string): Controller[] =>
  wordsOf(`${folder}/cgroup.subtree_control`).filter(
    (word): word is Controller => word === 'pids' || word === 'memory',
  )

/**
 * Whether this user may move processes between the groups in this folder. The kernel allows a move only if the user
 * may write in the group above both.
 */
function canMoveIn(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    accessSync(`${folder}/cgroup.procs`, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Creates the group that contains the groups of all programs of this process. Returns an empty list if that is not
 * allowed.
 */
export function rootIn(parent: Parent, most: Amounts): Parent[] {
  let folder: string | null = null
  try {
    removeAbandonedGroups(parent.folder)
    folder = makeOwnedFolder(GROUP_NAME, parent.folder)
    limit(folder, parent, most)
    if (parent.version === 2) {
      const given = parent.controllers.map((one) => `+${one}`).join(' ')
      writeFileSync(`${folder}/cgroup.subtree_control`, given)
    }
    return [{ ...parent, folder, above: parent.version === 1 ? [] : [folder, ...parent.above] }]
  } catch {
    if (folder !== null) isRemoved(folder)
    return []
  }
}

function limit(folder: string, { version, controllers }: Parent, most: Amounts): void {
  const { memoryBytes, processes } = most
  if (controllers.includes('pids')) writeFileSync(`${folder}/pids.max`, String(processes))
  if (!controllers.includes('memory') || memoryBytes === Infinity) return
  const bytes = String(Math.floor(memoryBytes))
  writeFileSync(`${folder}/memory.${version === 1 ? 'limit_in_bytes' : 'max'}`, bytes)
  // Swap space is limited too, because a program could otherwise exceed its memory limit by swapping. Not every
  // kernel has this file.
  const swap = version === 1 ? 'memory.memsw.limit_in_bytes' : 'memory.swap.max'
  if (numberIn(`${folder}/${swap}`) === null) return
  writeFileSync(`${folder}/${swap}`, version === 1 ? bytes : '0')
}

// ── Groups of programs ───────────────────────────────────────────────────────────────────────────────

/**
 * A shell script that puts itself into the groups, by writing to their files, and then executes the program. Exit
 * code 126 means that the program was not started.
 */
const ENTER = `while [ "$1" != -- ]; do echo 0 > "$1" || exit 126; shift; done; shift; exec "$@"`

export function groupsInFolders(roots: readonly Parent[], hierarchies: Hierarchies): ProgramGroups {
  let made = 0
  /**
   * Groups that could not be removed yet. The kernel counts a dead process for a short time and keeps its group until
   * then.
   */
  const left = new Set<string>()
  const sweep = (): void => {
    for (const folder of left) if (isRemoved(folder)) left.delete(folder)
  }
  const remove = (groups: readonly Parent[]): void => {
    for (const { folder } of groups) if (!isRemoved(folder)) left.add(folder)
  }
  /** Groups whose programs have ended, and which may be used again. The oldest is first. */
  const used: UsedGroups[] = []
  const takeUsed = (limits: Amounts): readonly Parent[] | null => {
    const at = used.findIndex((one) => isDeepStrictEqual(one.limits, limits))
    const [one] = at === -1 ? [] : used.splice(at, 1)
    if (one === undefined) return null
    if (one.groups.every((group) => isAsNew(group, limits))) return one.groups
    remove(one.groups)
    return null
  }
  function create(limits: Amounts): readonly Parent[] {
    const name = String(++made)
    const groups = roots.map((root) => ({ ...root, folder: `${root.folder}/${name}` }))
    try {
      for (const group of groups) {
        mkdirSync(group.folder)
        limit(group.folder, group, limits)
      }
    } catch (error) {
      for (const { folder } of groups) isRemoved(folder)
      throw error
    }
    return groups
  }
  const close = (): void => {
    process.off('exit', close)
    for (const { folder } of roots) removeGroups(folder)
  }
  process.once('exit', close)
  const held = roots.flatMap(({ controllers }) => controllers)
  const names = held.map((one) => (one === 'pids' ? 'processes' : one)).join(', ')
  return {
    name: `control groups of version ${roots[0]?.version ?? 2} (${names})`,
    close,
    make(wanted) {
      sweep()
      const limits = forOne(wanted, available(hierarchies))
      const groups = takeUsed(limits) ?? create(limits)
      const before = groups.map(({ above }) => refusalsIn(above))
      return {
        env: {},
        words: [
          ...['/bin/sh', '-c', ENTER, 'sh'],
          ...groups.map(({ folder }) => `${folder}/cgroup.procs`),
          '--',
        ],
        end() {
          const ends = groups.map((group, index) =>
            endIn(group, limits, grew(before[index] ?? new Map(), refusalsIn(group.above))),
          )
          const reached = ends.find((one) => one.reached !== null)?.reached ?? null
          const starved = ends.find((one) => one.starved !== null)?.starved ?? null
          const isReusable = groups.every(({ version }) => version === 1)
          if (isReusable && reached === null && starved === null) used.push({ groups, limits })
          else remove(groups)
          return { reached, starved }
        },
      }
    },
  }
}

interface UsedGroups {
  readonly groups: readonly Parent[]
  readonly limits: Amounts
}

/**
 * Whether a used group of version 1 can serve another program as if it were new, and makes it so. In version 1, a
 * program has a group in each of two hierarchies, and creating and removing them takes more processor time than
 * everything else that these groups need. Nothing of the earlier program may count for the next one: no process, no
 * refusal, no files in memory, and no peak at the limit. The file cache may stay, because the kernel frees it when
 * memory is needed.
 */
function isAsNew({ folder, controllers }: Parent, limits: Amounts): boolean {
  if (controllers.includes('pids')) {
    const peak = numberIn(`${folder}/pids.peak`) ?? 0
    if (numberIn(`${folder}/pids.current`) !== 0 || refusals(folder) !== 0) return false
    if (peak >= limits.processes) return false
  }
  if (!controllers.includes('memory')) return true
  if (kills(folder, 1) !== 0 || numberIn(`${folder}/memory.stat`, 'shmem') !== 0) return false
  try {
    // The kernel then counts the peak from the current use on.
    writeFileSync(`${folder}/memory.max_usage_in_bytes`, '0')
    return true
  } catch {
    return false
  }
}

const refusalsIn = (folders: readonly string[]): Counts =>
  countsIn(folders.map((folder) => [folder, refusals(folder)]))

function endIn(
  { folder, version, controllers }: Parent,
  limits: Amounts,
  isAbove: boolean,
): GroupEnd {
  const processes = controllers.includes('pids')
    ? processesEnd(folder, limits, isAbove)
    : NOTHING_REACHED
  const memory = controllers.includes('memory')
    ? memoryEnd(folder, version, limits)
    : NOTHING_REACHED
  return {
    reached: processes.reached ?? memory.reached,
    starved: processes.starved ?? memory.starved,
  }
}

function processesEnd(folder: string, limits: Amounts, isAbove: boolean): GroupEnd {
  const refused = (refusals(folder) ?? 0) > 0
  if (numberIn(`${folder}/pids.events.local`, 'max') !== null)
    return { reached: refused ? 'processes' : null, starved: isAbove ? 'processes' : null }
  const peak = numberIn(`${folder}/pids.peak`)
  if (!refused) return NOTHING_REACHED
  // If the peak is unknown, the program may have reached its own limit. It then counts as reached.
  return peak === null || peak >= limits.processes
    ? { reached: 'processes', starved: null }
    : { reached: null, starved: 'processes' }
}

/** The kernel gives memory to a group in portions of this size. So memory can run out a little below the limit. */
const PORTION_BYTES = 2 ** 20

function memoryEnd(folder: string, version: 1 | 2, limits: Amounts): GroupEnd {
  if ((kills(folder, version) ?? 0) === 0) return NOTHING_REACHED
  const isOwn =
    version === 1
      ? (numberIn(`${folder}/memory.max_usage_in_bytes`) ?? Infinity) >=
        limits.memoryBytes - PORTION_BYTES
      : (numberIn(`${folder}/memory.events`, 'oom') ?? 1) > 0
  return isOwn ? { reached: 'memory', starved: null } : { reached: null, starved: 'memory' }
}
