/**
 * Control groups for programs that may start other programs: agents, setup commands, commands that grade. A control
 * group is a feature of Linux that limits a program together with everything that it starts. Limits of single
 * processes cannot do that. Who may create groups depends on the machine. So there are three ways, and records say
 * which one was used:
 *
 * - folders in the kernel's cgroup file system, if this user may create them (version 1 and 2);
 * - scopes of systemd, which ordinary users may request;
 * - none: then only the limits of single processes apply (`prlimit`), and the limit on the number of processes of the
 *   sandbox's user.
 *
 * All groups of this process are inside one group, whose name identifies the process. If this process is killed, the
 * next start of Assay can find its groups by that name and remove them.
 */
import { available, forAll, forOne, type Amounts } from './available.ts'
import { groupsInFolders, parentsIn, rootIn } from './group-folders.ts'
import { hierarchiesIn, readTables, type GroupTables } from './hierarchy.ts'
import { NOTHING_REACHED, type ProgramGroups } from './program-group.ts'
import { findScopes, type Scopes } from './systemd-scopes.ts'

const NO_GROUPS = 'limits of each process (no control group)'

/** Replacements for tests: other tables of the kernel, and another systemd (null: none). */
export interface GroupSurroundings {
  readonly tables?: GroupTables | null
  readonly scopes?: Scopes | null
}

let shared: { readonly groups: ProgramGroups; users: number } | null = null

/**
 * Returns the groups of this process. All of its sandboxes share them. The caller calls `release` when it has
 * finished using them.
 */
export function useProgramGroups(): { readonly groups: ProgramGroups; release(): void } {
  shared ??= { groups: openProgramGroups(), users: 0 }
  const own = shared
  own.users++
  return {
    groups: own.groups,
    release() {
      if (--own.users > 0) return
      own.groups.close()
      if (shared === own) shared = null
    },
  }
}

/** Finds out in which of the three ways groups can be created on this machine. Does not throw. */
export function openProgramGroups(around: GroupSurroundings = {}): ProgramGroups {
  const hierarchies = hierarchiesIn(around.tables === undefined ? readTables() : around.tables)
  const parents = parentsIn(hierarchies)
  // On a machine with systemd, only systemd may create groups of version 2. So systemd is asked first, unless groups
  // of version 1 can be created.
  const isSystemds = parents.every(({ version }) => version === 2)
  const scopes = !isSystemds ? null : around.scopes === undefined ? findScopes() : around.scopes
  if (scopes !== null) return scopeGroups(scopes, available(hierarchies))
  const roots = parents.flatMap((parent) => rootIn(parent, forAll(available(hierarchies))))
  return roots.length === 0 ? NONE : groupsInFolders(roots, hierarchies)
}

const NONE: ProgramGroups = { name: NO_GROUPS, make: () => null, close() {} }

function scopeGroups(scopes: Scopes, most: Amounts): ProgramGroups {
  return {
    name: 'scopes of systemd (processes, memory)',
    make: (wanted, env) => ({
      ...scopes.start(forOne(wanted, most), env),
      end: () => NOTHING_REACHED,
    }),
    close() {},
  }
}
