/**
 * Opens the sandbox of this machine. Bubblewrap can be installed and still not work, so it is first tried with a
 * program that does nothing. Three parts of the sandbox are optional: the filter on system calls, the ban on further
 * user namespaces, and mounting as root. If one of them fails, bubblewrap is tried again without it, and a note says
 * so.
 */
import { release } from 'node:os'
import { findWay, openBubblewrap, type Way } from './bubblewrap/bubblewrap.ts'
import { collect } from './collect.ts'
import { findProgram } from './find-program.ts'
import {
  howToInstall,
  remedyFor,
  notHere,
  thisMachine,
  type Machine,
} from './bubblewrap/diagnose.ts'
import { openNone } from './none.ts'
import { limitedAs, PROFILES } from './profiles.ts'
import { SandboxError, type Program, type Sandbox } from './sandbox.ts'

/**
 * `auto` selects bubblewrap, the only backend that isolates programs. A run without isolation needs an explicit
 * `none`.
 */
export type SandboxChoice = 'auto' | 'bubblewrap' | 'none'

/** The state of bubblewrap on this machine, as `assay doctor` shows it. */
export interface SandboxState {
  readonly name: 'bubblewrap'
  /** The version of bubblewrap; null if it is not installed. */
  readonly version: string | null
  readonly ready: boolean
  /** Why bubblewrap is not ready, and what to do about it. */
  readonly how?: string
  readonly notes: readonly string[]
}

/** Replacements for tests: another program instead of bubblewrap (null: none), and another machine. */
export interface Replaced {
  readonly bwrap?: string | null
  readonly machine?: Machine
}

/** Opens the sandbox. Throws a `SandboxError` that says what is wrong and what to do about it. */
export async function openSandbox(
  choice: SandboxChoice,
  replaced: Replaced = {},
): Promise<Sandbox> {
  return choice === 'none' ? openNone() : openBubblewrap(await workingWay(replaced))
}

/** Opens the sandbox for agents (programs with `open`). Throws a `SandboxError` as `openSandbox` does. */
export async function openAgentSandbox(replaced: Replaced = {}): Promise<Sandbox> {
  const way = await workingWay(replaced)
  const fault = await agentFault(way)
  if (fault !== null) throw new SandboxError(`the sandbox of agents does not work here: ${fault}`)
  return openBubblewrap(way)
}

/** Returns whether bubblewrap works here, and what to do if it does not. Does not throw. */
export async function inspectSandbox(replaced: Replaced = {}): Promise<SandboxState> {
  const name = 'bubblewrap'
  let version: string | null = null
  try {
    version = found(replaced).version
    const way = await workingWay(replaced)
    return {
      name,
      version,
      ready: true,
      notes: [...notesOn(way), ...notesOnAgents(await agentFault(way)), noteOnTotals(way)],
    }
  } catch (error) {
    return { name, version, ready: false, how: (error as Error).message, notes: [] }
  }
}

function found({ bwrap, machine = thisMachine() }: Replaced): Way {
  if (machine.platform !== 'linux') throw new SandboxError(notHere(machine.platform))
  try {
    return findWay(bwrap === undefined ? findProgram('bwrap') : bwrap)
  } catch (error) {
    throw new SandboxError(howToInstall((error as Error).message), { cause: error })
  }
}

export async function workingWay(replaced: Replaced): Promise<Way> {
  let way = found(replaced)
  for (;;) {
    const said = await tryOut(way)
    if (said === null) return way
    const lesser = without(way, said)
    if (lesser === null) throw new SandboxError(remedyFor(said, replaced.machine ?? thisMachine()))
    way = lesser
  }
}

/** Returns the settings for bubblewrap without the part that failed, or null if that part is not optional. */
function without(way: Way, said: string): Way | null {
  if (way.filter && /seccomp/i.test(said)) return { ...way, filter: false }
  if (way.disableUserns && /max_user_namespaces/.test(said)) return { ...way, disableUserns: false }
  if (way.setpriv !== null && /permi|capab|namespace/i.test(said)) return { ...way, setpriv: null }
  return null
}

/** Runs a small program with bubblewrap. Returns the error message if that fails, else null. */
async function tryOut(way: Way, open: Pick<Program, 'open'> = {}): Promise<string | null> {
  const sandbox = openBubblewrap(way)
  try {
    const program = sandbox.start({
      argv: [way.prlimit, '--version'],
      reads: [],
      env: {},
      ...limitedAs('tryout'),
      pipes: 0,
      system: false,
      ...open,
    })
    const { code, signal, how, stdout, stderr } = await collect(program)
    if (code === 0 && stdout.includes('prlimit')) return null
    if (how === 'wall')
      return `it did not start a program within ${PROFILES.tryout.wallMs / 1000} s`
    return (
      stderr.toString('utf8').trim() || `it ended with ${signal ?? `code ${code}`} and said nothing`
    )
  } finally {
    await sandbox.close()
  }
}

/**
 * Returns why agents cannot start here, or null if they can. Agents need more than graded code does, such as their
 * own `/proc`, so this is tested separately.
 */
async function agentFault(way: Way): Promise<string | null> {
  const said = await tryOut(way, { open: true })
  if (said === null) return null
  const remedy = /mount proc/.test(said)
    ? '; a container that hides parts of /proc must be started with --security-opt systempaths=unconfined'
    : ''
  return `${said}${remedy}`
}

const notesOnAgents = (fault: string | null): string[] =>
  fault === null ? [] : [`agents do not start here: ${fault}`]

/** Describes, for the user, what limits a program together with everything that it starts. */
function noteOnTotals(way: Way): string {
  const sandbox = openBubblewrap(way)
  const held = sandbox.totalsHeldBy()
  void sandbox.close()
  return `agents, setup and commands that grade are limited by ${held}`
}

/**
 * From this version of Linux on, the kernel counts the processes in a user namespace separately from other processes
 * of the same user.
 */
const COUNTED_APART = [5, 14] as const

function notesOn({ setpriv, filter, disableUserns }: Way): string[] {
  const isRoot = process.getuid?.() === 0
  const [major = 0, minor = 0] = release().split('.').map(Number)
  const isOld = major < COUNTED_APART[0] || (major === COUNTED_APART[0] && minor < COUNTED_APART[1])
  return [
    filter
      ? 'system calls are filtered'
      : `system calls are not filtered (${process.arch}, Linux ${release()})`,
    setpriv === null
      ? `started as ${isRoot ? 'root without all rights' : 'an ordinary user'}: in a namespace of users`
      : 'started as root: each program gets a user of its own',
    ...(setpriv === null && isRoot ? ['the number of processes is not limited'] : []),
    ...(setpriv === null && !isRoot && isOld
      ? ['the limit on processes counts all processes of this user (Linux before 5.14)']
      : []),
    ...(!filter && (setpriv !== null || !disableUserns)
      ? ['programs can make user namespaces of their own']
      : []),
  ]
}
