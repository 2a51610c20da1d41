/**
 * Bubblewrap: new namespaces for everything, an empty root with the system's libraries read-only, no
 * network, no /proc, a filter on system calls. Started as root it binds first, so that toolchains in
 * private folders can be shown, and drops to a user of its own inside, whom no other program shares and
 * whose processes the kernel counts. Started as anybody else, the namespace of users does the same: nobody
 * inside is anybody outside. Programs must be started on the main thread: what is left of them ends with
 * the thread that started them, should this process be killed.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { openSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import type { Duplex } from 'node:stream'
import { groupIsGone, livesIn, signalGroup } from '../survivors.ts'
import { boxed } from './boxed.ts'
import {
  closeAll,
  openAgain,
  openNameless,
  placed,
  readBeginning,
  standing,
  strayDescriptors,
} from './descriptors.ts'
import { findProgram } from './find-program.ts'
import { limitArguments, readCeilings } from './limiting.ts'
import { roomArguments } from './room.ts'
import { SandboxError, type Boxed, type Ended, type Program, type Sandbox } from './sandbox.ts'
import { hasFilter, seccompFilter, type Processes } from './seccomp.ts'

/** How bubblewrap is used on this machine. */
export interface Way {
  readonly bwrap: string
  readonly prlimit: string
  readonly version: string
  /** The program that drops to another user inside; null where the namespace of users does it. */
  readonly setpriv: string | null
  /**
   * In a namespace of users, nobody can make another one inside it; the filter refuses that too, where
   * there is one.
   */
  readonly disableUserns: boolean
  readonly filter: boolean
}

/** For the size of the scratch folder. */
const OLDEST = [0, 7]
const OLDEST_DISABLING = [0, 8]
/** Users of the machine have lower numbers, and so have the ranges lent to containers. */
const FIRST_USER = 2 ** 30
const LAST_USER = 2 ** 31 - 2 ** 24
const NOBODY = '65534'

/** What this machine has and who we are say how. Nothing is tried out: `openSandbox` does that. */
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
    setpriv: canDrop() ? neededProgram('setpriv') : null,
    disableUserns: isAtLeast(version, OLDEST_DISABLING),
    filter: hasFilter(process.arch),
  }
}

export function openBubblewrap(way: Way = findWay()): Sandbox {
  const ceilings = readCeilings()
  const filters = way.filter ? keepFilters() : null
  const strays = strayDescriptors()
  const nothing = openSync('/dev/null', 'r')
  const running = new Set<Boxed>()
  let nextUser = randomInt(FIRST_USER, LAST_USER)
  let closing: Promise<void> | null = null

  function start(program: Program): Boxed {
    if (closing !== null) throw new SandboxError('the sandbox was closed')
    const { argv, limits, pipes } = program
    if (!argv[0].startsWith('/'))
      throw new SandboxError(`the sandbox starts absolute paths only, not "${argv[0]}"`)
    const wanted = standing(program)
    const infoAt = wanted.length
    const args = [
      ...namespaces(way),
      ...['--info-fd', String(infoAt)],
      ...(filters === null ? [] : ['--seccomp', String(infoAt + 1)]),
      ...roomArguments({
        ...program,
        reads: [way.prlimit, ...(way.setpriv === null ? [] : [way.setpriv]), ...program.reads],
      }),
      '--',
      ...(way.setpriv === null ? [] : dropTo(way.setpriv, nextUser++)),
      ...[way.prlimit, ...limitArguments(limits, ceilings, true), '--'],
      ...argv,
    ]
    const kept = filters?.[limits.processes === 'threads' ? 'threads' : 'any']
    const filter = kept === undefined ? [] : [openAgain(kept)]
    const info = openNameless()
    const stdio = placed([...wanted, info, ...filter], strays, nothing)
    const child = spawnWrapped(way.bwrap, args, program.env, stdio)
    closeAll(filter)
    for (const stream of program.handed ?? []) stream.destroy()
    if ('failed' in child) {
      closeAll([info])
      throw new SandboxError(`bubblewrap could not be started: ${child.failed}`)
    }
    const { pid } = child
    let first: number | null = null
    const started = boxed(child, pid, pipes, {
      wallMs: limits.wallMs,
      cpuMs: limits.cpuMs,
      // The first process inside is in the group too; with it the kernel ends all others of its namespace.
      kill: () => signalGroup(pid, 'SIGKILL'),
      isGone(thorough) {
        first ??= firstInside(info)
        return first === null ? groupIsGone(pid, thorough) : !livesIn(first, pid)
      },
      read: readEnd,
      clear() {
        closeAll([info])
        running.delete(started)
      },
    })
    running.add(started)
    return started
  }

  return {
    name: 'bubblewrap',
    version: way.filter ? way.version : `${way.version} without a system call filter`,
    start,
    close() {
      closing ??= Promise.all([...running].map((one) => one.kill())).then(() =>
        closeAll([nothing, ...Object.values(filters ?? {})]),
      )
      return closing
    },
  }
}

// ── Starting ─────────────────────────────────────────────────────────────────────────────────────────

function namespaces({ setpriv, disableUserns }: Way): string[] {
  return [
    ...['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...['--hostname', 'sandbox', '--die-with-parent', '--cap-drop', 'ALL'],
    ...(setpriv === null
      ? ['--unshare-user', '--uid', NOBODY, '--gid', NOBODY]
      : ['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'].flatMap((cap) => ['--cap-add', cap])),
    ...(setpriv === null && disableUserns ? ['--disable-userns'] : []),
  ]
}

/** Before the limits: for root the kernel counts no processes. */
function dropTo(setpriv: string, user: number): string[] {
  return [
    ...[setpriv, `--reuid=${user}`, `--regid=${user}`, '--clear-groups'],
    ...['--inh-caps=-all', '--bounding-set=-all', '--no-new-privs', '--'],
  ]
}

type Spawned = ChildProcess & { readonly pid: number }

function spawnWrapped(
  bwrap: string,
  args: readonly string[],
  env: Program['env'],
  stdio: ('pipe' | 'ignore' | number | Duplex)[],
): Spawned | { readonly failed: string } {
  try {
    // In a group of its own.
    const child = spawn(bwrap, args, { env: { ...env }, detached: true, stdio })
    if (child.pid !== undefined) return child as Spawned
    child.on('error', () => {})
    return { failed: `${bwrap} is gone, or there are no processes or open files left` }
  } catch (error) {
    return { failed: String(error) }
  }
}

function keepFilters(): Readonly<Record<Processes, number>> {
  const { arch } = process
  if (!hasFilter(arch)) throw new SandboxError(`there is no filter for ${arch}`)
  return {
    any: openNameless(seccompFilter(arch, 'any')),
    threads: openNameless(seccompFilter(arch, 'threads')),
  }
}

// ── Ending ───────────────────────────────────────────────────────────────────────────────────────────

/** Bubblewrap says who the first process inside is, as we see it, before it begins; null before that. */
function firstInside(info: number): number | null {
  const [, pid] = /"child-pid": *(\d+)/.exec(readBeginning(info)) ?? []
  return pid === undefined ? null : Number(pid)
}

const SIGNALS = new Map(
  Object.entries(constants.signals)
    // Where two names mean the same signal, the first is the usual one.
    .reverse()
    .map(([name, number]) => [number, name as NodeJS.Signals]),
)

/** Bubblewrap tells of a signal as shells do: 128 and its number. */
function readEnd(
  code: number | null,
  signal: NodeJS.Signals | null,
): Pick<Ended, 'code' | 'signal'> {
  const inside = code === null ? undefined : SIGNALS.get(code - 128)
  return inside === undefined ? { code, signal } : { code: null, signal: inside }
}

// ── What is here ─────────────────────────────────────────────────────────────────────────────────────

function neededProgram(name: string): string {
  const path = findProgram(name)
  if (path === null) throw new SandboxError(`the program ${name} is missing: install util-linux`)
  return path
}

function versionOf(bwrap: string): string {
  try {
    const said = execFileSync(bwrap, ['--version'], {
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

/** Root of the whole machine, not of a container that lends it only some users. */
function canDrop(): boolean {
  if (process.getuid?.() !== 0) return false
  try {
    return readFileSync('/proc/self/uid_map', 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number))
      .some(([inside = 0, , count = 0]) => inside <= FIRST_USER && inside + count >= 2 ** 31)
  } catch {
    return false
  }
}
