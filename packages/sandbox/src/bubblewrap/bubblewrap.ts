/**
 * The sandbox backend that uses bubblewrap (`bwrap`), a program that starts another one in new Linux namespaces. The
 * started program gets new namespaces of every kind, an empty root with the system's libraries read-only, no network,
 * no `/proc`, and a filter on system calls.
 *
 * If Assay runs as root, bubblewrap mounts folders as root, so that toolchains in private folders can be shown. The
 * program then drops to a user number that no other program has, so that the kernel counts the processes of each
 * program separately. If Assay runs as another user, bubblewrap creates a user namespace instead. Inside it,
 * bubblewrap may mount folders, and the kernel counts the program's processes separately. Users of the namespace have
 * no rights outside of it.
 *
 * An agent (a program with `open`) has the network of the machine, a `/proc` of its own namespace and a weaker
 * filter.
 *
 * Programs must be started on the main thread. The kernel kills a program when the thread that started it ends
 * (`--die-with-parent`), and the main thread ends only with this process.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { openSync } from 'node:fs'
import { constants } from 'node:os'
import type { Duplex } from 'node:stream'
import { groupIsGone, livesIn, signalGroup } from '../survivors.ts'
import { watchProcess } from '../sandboxed-process.ts'
import {
  closeAll,
  reopen,
  openNameless,
  openText,
  placed,
  readBeginning,
  standing,
  strayDescriptors,
} from './descriptors.ts'
import { findProgram } from '../find-program.ts'
import { endOfAll } from './kill-namespace.ts'
import { heldTotals, type StartedGroup } from '../control-group/held-totals.ts'
import { limitArguments, readCeilings } from '../limits.ts'
import { accounts } from './agent-mounts.ts'
import { mountsArguments, type Shown } from './mounts.ts'
import {
  SandboxError,
  type SandboxedProcess,
  type Ended,
  type Owner,
  type Program,
  type Sandbox,
} from '../sandbox.ts'
import { hasFilter, seccompFilter, type Filtered } from './seccomp.ts'
import { hasUsers, makeUsers } from '../users.ts'

/** How bubblewrap is used on this machine. */
export interface Way {
  readonly bwrap: string
  readonly prlimit: string
  readonly version: string
  /**
   * The path of `setpriv`, a command with which a program that started as root becomes another user inside the
   * sandbox. Null if a user namespace is used instead.
   */
  readonly setpriv: string | null
  /**
   * Whether bubblewrap forbids the program to create further user namespaces. The filter, if there is one, refuses
   * them too.
   */
  readonly disableUserns: boolean
  readonly filter: boolean
}

/** The oldest usable version. Earlier versions cannot limit the size of the scratch folder. */
const OLDEST = [0, 7]
const OLDEST_DISABLING = [0, 8]
const NOBODY = { uid: 65_534, gid: 65_534 }
/** The user that an agent is in a user namespace. 1000 is the first ordinary user on many systems. */
const SOMEBODY = { uid: 1000, gid: 1000 }

/**
 * Decides how to use bubblewrap, from the installed programs and the current user. `openSandbox` tests whether it
 * works.
 */
export function findWay(bwrap = findProgram('bwrap')): Way {
  if (bwrap === null)
    throw new SandboxError('bubblewrap is not installed: there is no program bwrap')
  const version = versionOf(bwrap)
  if (!isAtLeast(version, OLDEST))
    throw new SandboxError(
      `bubblewrap ${version} is too old: ${OLDEST.join('.')} or newer is needed`,
    )
  return {
    bwrap,
    prlimit: neededProgram('prlimit'),
    version,
    setpriv: hasUsers() ? neededProgram('setpriv') : null,
    disableUserns: isAtLeast(version, OLDEST_DISABLING),
    filter: hasFilter(process.arch),
  }
}

export function openBubblewrap(way: Way = findWay()): Sandbox {
  const ceilings = readCeilings()
  const filters = way.filter ? keepFilters() : null
  const strays = strayDescriptors()
  const nothing = openSync('/dev/null', 'r')
  const users = makeUsers()
  const running = new Set<SandboxedProcess>()
  const totals = heldTotals()
  const rooms = rememberedRooms()
  let closing: Promise<void> | null = null

  function start(program: Program): SandboxedProcess {
    if (closing !== null) throw new SandboxError('the sandbox was closed')
    const { argv, limits, pipes } = program
    if (!argv[0].startsWith('/'))
      throw new SandboxError(`the sandbox starts absolute paths only, not "${argv[0]}"`)
    const wanted = standing(program)
    const infoAt = wanted.length
    const textsAt = infoAt + (filters === null ? 1 : 2)
    const drops = program.drops === true
    const user = way.setpriv === null ? null : users.of(program)
    const dropper = drops ? null : way.setpriv
    const args = [
      ...namespaces(way, program),
      ...['--info-fd', String(infoAt)],
      ...(filters === null ? [] : ['--seccomp', String(infoAt + 1)]),
      ...rooms({
        reads: [way.prlimit, ...(dropper === null ? [] : [dropper]), ...program.reads],
        ...(program.hides === undefined ? {} : { hides: program.hides }),
        system: program.system,
        scratchBytes: program.scratchBytes,
        ...(program.self === undefined ? {} : { self: program.self }),
        ...(program.folders === undefined ? {} : { folders: program.folders }),
        ...(program.cwd === undefined ? {} : { cwd: program.cwd }),
        ...(program.open === true ? { accountsAt: { passwd: textsAt, group: textsAt + 1 } } : {}),
      }),
      '--',
      ...(dropper === null || user === null ? [] : dropTo(dropper, user)),
      ...[way.prlimit, ...limitArguments(limits, ceilings, true), '--'],
      ...argv,
      ...(drops ? [String(user?.uid ?? 0)] : []),
    ]
    const kept = filters?.[filterOf(program)]
    const given = [
      ...(kept === undefined ? [] : [reopen(kept)]),
      ...(program.open === true ? openAccounts(user ?? SOMEBODY, program) : []),
    ]
    const info = openNameless()
    const stdio = placed([...wanted, info, ...given], strays, nothing)
    let group: StartedGroup
    try {
      group = totals.group(program)
    } catch (error) {
      closeAll([info, ...given])
      throw error
    }
    const [command = way.bwrap, ...words] = [...group.words, way.bwrap, ...args] as const
    const child = spawnWrapped(command, words, { ...program.env, ...group.env }, stdio)
    closeAll(given)
    for (const stream of program.handed ?? []) stream.destroy()
    if ('failed' in child) {
      closeAll([info])
      void group.end()
      throw new SandboxError(`bubblewrap could not be started: ${child.failed}`)
    }
    const { pid } = child
    let first: number | null = null
    const started = watchProcess(child, pid, pipes, {
      wallMs: limits.wallMs,
      cpuMs: limits.cpuMs,
      // The first process inside the sandbox belongs to this process group too. When it ends, the kernel ends all
      // other processes of its namespace.
      kill: () => signalGroup(pid, 'SIGKILL'),
      isGone(thorough) {
        first ??= firstInside(info)
        return first === null ? groupIsGone(pid, thorough) : !livesIn(first, pid)
      },
      ...(program.open === true ? endOfAll(pid, () => firstInside(info)) : {}),
      read: readEnd,
      clear() {
        closeAll([info])
        running.delete(started)
        return group.end()
      },
    })
    group.watch(() => void started.kill())
    running.add(started)
    return started
  }

  async function end(): Promise<void> {
    await Promise.all([...running].map((one) => one.kill()))
    totals.release()
    closeAll([nothing, ...Object.values(filters ?? {})])
  }

  return {
    name: 'bubblewrap',
    version: way.filter ? way.version : `${way.version} without a system call filter`,
    moves: true,
    totalsHeldBy: () => totals.name(),
    newOwner: () => (way.setpriv === null ? null : users.next()),
    start,
    close() {
      closing ??= end()
      return closing
    },
  }
}

// ── Starting ─────────────────────────────────────────────────────────────────────────────────────────

function namespaces({ setpriv, disableUserns }: Way, program: Program): string[] {
  const { open, offline, folders, drops } = program
  const { uid, gid } = open === true ? SOMEBODY : NOBODY
  // Bubblewrap needs these rights only to change from root to another user. After the change, the program has no
  // capabilities (rights of root) and cannot get any by starting another program.
  const dropping = ['CAP_SETUID', 'CAP_SETGID', ...(drops === true ? [] : ['CAP_SETPCAP'])]
  return [
    ...(open === true && offline !== true ? [] : ['--unshare-net']),
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    // Agents may look up their own host name, so it must be a name that resolves.
    ...['--hostname', open === true ? 'localhost' : 'sandbox'],
    ...['--die-with-parent', '--cap-drop', 'ALL'],
    ...(setpriv === null
      ? ['--unshare-user', '--uid', String(uid), '--gid', String(gid)]
      : dropping.flatMap((cap) => ['--cap-add', cap])),
    // Bubblewrap enters the working directory as root. Without this capability, it could not enter a directory
    // that only its owner may enter.
    ...(setpriv === null || folders === undefined ? [] : ['--cap-add', 'CAP_DAC_READ_SEARCH']),
    ...(setpriv === null && disableUserns && open !== true ? ['--disable-userns'] : []),
  ]
}

function dropTo(setpriv: string, { uid, gid }: Owner): string[] {
  return [
    ...[setpriv, `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'],
    ...['--inh-caps=-all', '--bounding-set=-all', '--no-new-privs', '--'],
  ]
}

const openAccounts = (owner: Owner, { env }: Program): number[] => {
  const { passwd, group } = accounts(owner, env['HOME'] ?? '/')
  return [openText(passwd), openText(group)]
}

const filterOf = ({ open, limits }: Program): Filtered => {
  if (open === true) return 'open'
  return limits.processes === 'threads' ? 'threads' : 'any'
}

const MOST_ROOMS = 64

/**
 * Caches mount arguments. Computing them takes sixty system calls to resolve links, and most programs see the same
 * paths. The arguments of programs with shared folders are not cached, because other programs may change these
 * folders.
 */
function rememberedRooms(): (shown: Shown) => readonly string[] {
  const known = new Map<string, readonly string[]>()
  return (shown) => {
    if (shown.folders !== undefined) return mountsArguments(shown)
    const key = JSON.stringify(shown)
    const made = known.get(key) ?? mountsArguments(shown)
    if (known.size >= MOST_ROOMS) known.clear()
    known.set(key, made)
    return made
  }
}

type Spawned = ChildProcess & { readonly pid: number }

function spawnWrapped(
  bwrap: string,
  args: readonly string[],
  env: Program['env'],
  stdio: ('pipe' | 'ignore' | number | Duplex)[],
): Spawned | { readonly failed: string } {
  try {
    // With `detached`, the program starts in its own process group, so that the whole group can be killed.
    const child = spawn(bwrap, args, { env: { ...env }, detached: true, stdio })
    if (child.pid !== undefined) return child as Spawned
    child.on('error', () => {})
    return { failed: `${bwrap} is gone, or there are no processes or open files left` }
  } catch (error) {
    return { failed: String(error) }
  }
}

function keepFilters(): Readonly<Record<Filtered, number>> {
  const { arch } = process
  if (!hasFilter(arch)) throw new SandboxError(`there is no filter for ${arch}`)
  return {
    any: openNameless(seccompFilter(arch, 'any')),
    threads: openNameless(seccompFilter(arch, 'threads')),
    open: openNameless(seccompFilter(arch, 'open')),
  }
}

// ── Ending ───────────────────────────────────────────────────────────────────────────────────────────

/**
 * Returns the process number of the first process inside, as seen from outside the sandbox. Null until bubblewrap
 * has reported it.
 */
function firstInside(info: number): number | null {
  const [, pid] = /"child-pid": *(\d+)/.exec(readBeginning(info)) ?? []
  return pid === undefined ? null : Number(pid)
}

const SIGNALS = new Map(
  Object.entries(constants.signals)
    // Some signals have two names, of which the first is the usual one. After `reverse`, the first name comes last
    // and overwrites the other.
    .reverse()
    .map(([name, number]) => [number, name as NodeJS.Signals]),
)

/**
 * Finds out how the program ended. Bubblewrap reports a signal as shells do: exit code 128 plus the signal's number.
 */
function readEnd(
  code: number | null,
  signal: NodeJS.Signals | null,
): Pick<Ended, 'code' | 'signal'> {
  const inside = code === null ? undefined : SIGNALS.get(code - 128)
  return inside === undefined ? { code, signal } : { code: null, signal: inside }
}

// ── Programs of this machine ─────────────────────────────────────────────────────────────────────────

function neededProgram(name: string): string {
  const path = findProgram(name)
  if (path === null) throw new SandboxError(`the program ${name} is missing: install util-linux`)
  return path
}

function versionOf(bwrap: string): string {
  try {
    const said = execFileSync(bwrap, ['--version'], {
      cwd: '/',
      encoding: 'utf8',
      timeout: 10_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return said.trim().split(' ').at(-1) ?? ''
  } catch (error) {
    throw new SandboxError(`${bwrap} does not tell its version: ${String(error)}`, { cause: error })
  }
}

function isAtLeast(version: string, least: readonly number[]): boolean {
  const parts = version.split('.').map(Number)
  for (const [at, wanted] of least.entries()) {
    const part = parts[at] ?? 0
    if (part !== wanted) return part > wanted
  }
  return true
}
