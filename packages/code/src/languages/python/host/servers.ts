/**
 * The Python servers of a sandbox. There are three kinds: for solutions, for testers, and for solutions together with
 * their tests (`in_process`). This module sets their limits and starts their programs. A server cannot see any file
 * of Assay or of the suite, so its program is sent over a pipe.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import {
  findProgram,
  limitedAs,
  makeOwnedFolder,
  PROFILES,
  PYTHON_FORKS,
  SandboxError,
  type Program,
  type Sandbox,
} from '@assay/sandbox'
import { Cores } from './cores.ts'
import { ForkServer, type Fork } from './forks.ts'
import type { Interpreter } from './interpreter.ts'
import { Pool } from '../../../pool/server-pool.ts'

/** What a server is for: solutions, testers, or solutions together with their tests in one process (`in_process`). */
export type Role = 'solution' | 'tester' | 'in_process'

/**
 * The properties with which a server is started. Two pieces of work can use the same server only if they need the
 * same properties.
 */
export interface Kind {
  readonly role: Role
  /** A folder of packages that the user has vendored. */
  readonly packages: string | null
  /** Whether the server has a writable folder. */
  readonly scratch: boolean
  /** Modules that the server loads before it forks, because the tests or the solution use them. */
  readonly warm: readonly string[]
}

/** Modules that are slow to load and rarely needed. The pattern shows whether a source needs the module. */
const SLOW = new Map([
  ['asyncio', /\basyncio\b/],
  ['unittest.mock', /\bmock\b/],
  ['random', /\brandom\b/],
  ['threading', /\bthreading\b/],
])

/** Returns the slow modules that these sources mention. */
export const warmFor = (sources: readonly string[]): string[] =>
  [...SLOW.keys()].filter((name) => sources.some((source) => SLOW.get(name)?.test(source)))

/** The largest frame that a solution may send to the tester, in bytes. */
export const MOST_FRAME_BYTES = 16 * 2 ** 20

/** The folder of the Python programs. They are not compiled, so the published package has them in `src`. */
const PROGRAMS = new URL('../../../../src/languages/python/sandboxed/', import.meta.url)

/**
 * The Python code with which a server starts. It reads Assay's programs as one message, builds a package from
 * them in memory and starts it. The hash seed is fixed: otherwise the order of a set of strings would differ
 * between servers, and verdicts could differ too.
 */
const BOOT = `
import os, sys, types
from importlib.util import spec_from_loader
def take(count):
    held = b''
    while len(held) < count:
        piece = os.read(3, count - len(held))
        if not piece: os._exit(1)
        held += piece
    return held
import json
hello = json.loads(take(int.from_bytes(take(4), 'big')))
package = types.ModuleType('_assay')
package.__path__ = []
sys.modules['_assay'] = package
# A sample that shares the process may change the built-in functions; ours stay what they are.
import builtins
own = dict(vars(builtins)) if hello['role'] == 'in_process' else vars(builtins)
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.startswith('_assay.') and name[7:] in hello['programs']:
            return spec_from_loader(name, Finder)
    @staticmethod
    def create_module(spec):
        return None
    @staticmethod
    def exec_module(module):
        module.__dict__['__builtins__'] = own
        exec(compile(hello['programs'][module.__name__[7:]], module.__name__, 'exec'), module.__dict__)
sys.meta_path.insert(0, Finder)
sys.path[:] = [path for path in sys.path if path not in ('', os.getcwd())]
from _assay import start
start.start(hello, Finder)
`

let programs: Record<string, string> | undefined

function readPrograms(): Record<string, string> {
  programs ??= Object.fromEntries(
    readdirSync(PROGRAMS, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.py'))
      .map((path) => [basename(path, '.py'), readFileSync(new URL(path, PROGRAMS), 'utf8')]),
  )
  return programs
}

/**
 * Two named pipes between a solution's server and a tester's server. Their files are deleted when both servers have
 * opened them, because the files are needed only for opening.
 */
interface Lines {
  readonly folder: string
  readonly toSample: string
  readonly toTester: string
}

function layLines(): Lines {
  const folder = makeOwnedFolder('assay-python')
  const [toSample, toTester] = [join(folder, 'to-sample'), join(folder, 'to-tester')]
  try {
    const mkfifo = findProgram('mkfifo') ?? '/usr/bin/mkfifo'
    execFileSync(mkfifo, ['-m', '666', toSample, toTester], { cwd: '/', stdio: 'ignore' })
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw new SandboxError('mkfifo of the system failed', { cause: error })
  }
  return { folder, toSample, toTester }
}

/** The number of solutions that one tester may test before it is replaced. */
const MOST_USES = 100
/** The number of testers that a server keeps, one for each test source. Each uses a few megabytes. */
const MOST_TESTERS = 48
const TESTER_LIMITS = {
  ...PYTHON_FORKS.tester,
  // Testers get no filter on system calls. Tests are trusted more than solutions, and they run in a separate sandbox.
  filter: false,
}

interface Held {
  readonly tester: Fork
  /** The processor core on which the tester runs, or ran last. */
  core: number | null
  uses: number
  isGone: boolean
}

/** A connected pair of a solution's server and a tester's server. They are used together and end together. */
export class Pair {
  readonly sample: ForkServer
  /** The processor core that the forks of both servers use, or used last. */
  core: number | null = null
  readonly #testers: ForkServer
  /** The testers that are kept for later, by the tests that they have loaded. */
  readonly #held = new Map<string, Held>()
  /** The tester that is running. All others are stopped until they are needed again. */
  #active: Held | null = null

  constructor(sample: ForkServer, testers: ForkServer) {
    this.sample = sample
    this.#testers = testers
  }

  get testerPid(): number {
    return this.#testers.pid
  }

  get isDead(): boolean {
    return this.sample.isDead || this.#testers.isDead
  }

  /** Resolves when both servers are ready, or have failed to start. */
  async started(): Promise<void> {
    await Promise.all([this.sample.started, this.#testers.started])
  }

  /** True if the pair has a tester that has already loaded these tests. */
  holds(tests: string): boolean {
    return this.#held.has(tests)
  }

  /**
   * Gives a task to a tester for these tests and returns the tester. If a tester has already loaded these tests, that
   * one is used. Otherwise a new tester is forked. `makeTask` creates the task. Its argument says whether the tester
   * has already loaded the tests.
   */
  async tester(tests: string, makeTask: (isKnown: boolean) => Buffer): Promise<Fork> {
    const held = this.#held.get(tests)
    if (held === undefined || held.uses >= MOST_USES || held.isGone) {
      const isFull = held !== undefined || this.#held.size >= MOST_TESTERS
      await (isFull ? this.dismiss() : this.#rest())
      const tester = await this.#testers.fork(TESTER_LIMITS, makeTask(false), this.core)
      const made: Held = { tester, core: this.core, uses: 1, isGone: false }
      void tester.gone.then(() => (made.isGone = true))
      this.#held.set(tests, made)
      this.#active = made
      return tester
    }
    if (this.#active === held && held.core === this.core) held.tester.send(makeTask(true))
    else {
      await this.#rest()
      held.tester.wake(makeTask(true), this.core)
      this.#active = held
    }
    held.core = this.core
    held.uses++
    return held.tester
  }

  /** Ends all testers of this pair, so that no data of earlier tests or solutions is left. */
  async dismiss(): Promise<void> {
    const [held] = this.#held.values()
    this.#held.clear()
    this.#active = null
    await held?.tester.end()
  }

  /**
   * Stops the active tester. This is done only when another tester is needed, because the next solution usually has
   * the same tests.
   */
  async #rest(): Promise<void> {
    await this.#active?.tester.rest()
    this.#active = null
  }

  async close(): Promise<void> {
    await Promise.all([this.sample.close(), this.#testers.close()])
  }
}

/** All Python servers that are open in one sandbox. */
export class PythonServers {
  readonly cores = new Cores()
  readonly #sandbox: Sandbox
  readonly #interpreter: Interpreter
  readonly #single = new Map<string, Pool<ForkServer>>()
  readonly #paired = new Map<string, Pool<Pair>>()

  constructor(sandbox: Sandbox, interpreter: Interpreter) {
    this.#sandbox = sandbox
    this.#interpreter = interpreter
  }

  /** Returns the pool of servers that work without a tester's server. */
  single(kind: Kind): Pool<ForkServer> {
    return poolOf(this.#single, kind, () => this.#start(kind, null))
  }

  pairs(sample: Kind, tester: Kind): Pool<Pair> {
    return poolOf(this.#paired, [sample, tester], () => {
      const { folder, toSample, toTester } = layLines()
      const pair = new Pair(
        this.#start(sample, [toSample, toTester]),
        this.#start(tester, [toTester, toSample]),
      )
      void pair.started().then(() => rmSync(folder, { recursive: true, force: true }))
      return pair
    })
  }

  /** Starts in advance the pair of servers that most solutions use. */
  start(): void {
    const usual = { packages: null, scratch: false, warm: [] }
    this.pairs({ role: 'solution', ...usual }, { role: 'tester', ...usual }).warm((one) =>
      one.started(),
    )
  }

  async close(): Promise<void> {
    const pools = [...this.#single.values(), ...this.#paired.values()]
    await Promise.all(pools.map((pool) => pool.close()))
  }

  #start(kind: Kind, lines: readonly [reads: string, writes: string] | null): ForkServer {
    const hello = {
      programs: readPrograms(),
      role: kind.role,
      warm: kind.warm,
      lines,
      // In bubblewrap, the server sees only processes of its own sandbox, which all belong to the solution. So it may
      // kill all of them.
      alone: this.#sandbox.name === 'bubblewrap',
    }
    const program = this.#program(kind, lines ?? [])
    return new ForkServer(this.#sandbox, program, hello, MOST_FRAME_BYTES)
  }

  #program({ role, packages, scratch }: Kind, lines: readonly string[]): Program {
    const { program, reads } = this.#interpreter
    return {
      argv: [program, '-s', '-S', '-B', '-X', 'utf8', '-c', BOOT],
      reads: [...reads, ...lines, ...(packages === null ? [] : [packages])],
      env: { PYTHONHASHSEED: '0', LANG: 'C.UTF-8', TZ: 'UTC' },
      // These are the limits of the server. Each fork lowers them further.
      ...limitedAs('pythonServer', {
        processes: PROFILES.pythonServer.processes + (role === 'tester' ? MOST_TESTERS : 0),
        ...(scratch ? {} : { scratchBytes: 0 }),
      }),
      pipes: 2,
      system: false,
    }
  }
}

function poolOf<T extends { readonly isDead: boolean; close(): Promise<void> }>(
  pools: Map<string, Pool<T>>,
  kind: unknown,
  make: () => T,
): Pool<T> {
  const key = JSON.stringify(kind)
  const pool = pools.get(key) ?? new Pool(make)
  pools.set(key, pool)
  return pool
}
