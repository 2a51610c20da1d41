/**
 * The two kinds of Python servers, what they may do and what they are made of. They see neither a file of
 * this project nor one of the suite's: their programs come over the pipe.
 */
import { readdirSync, readFileSync } from 'node:fs'
import type { Program, Sandbox } from '../../../sandbox/index.ts'
import { ForkServers } from './fork-servers.ts'
import { ForkServer } from './forks.ts'
import type { Interpreter } from './interpreter.ts'

/** `beside`: a sample with its tests in one process. */
export type Role = 'sample' | 'judge' | 'beside'

/** What a server is started for; those that agree in it share servers. */
export interface Kind {
  readonly role: Role
  /** A folder of packages that the user has vendored. */
  readonly packages: string | null
  /** Whether there is a folder to write to. */
  readonly scratch: boolean
  /** What is loaded before the forks, because this work is about it. */
  readonly warm: readonly string[]
}

/** Modules that take long to load and that only some want. */
const SLOW = ['asyncio', 'unittest.mock', 'random', 'threading']

/** Those of them that these sources name. */
export const warmFor = (sources: readonly string[]): string[] =>
  SLOW.filter((name) => {
    const [word = name] = name.split('.').slice(-1)
    return sources.some((source) => new RegExp(`\\b${word}\\b`).test(source))
  })

const MEGABYTE = 2 ** 20
/** From a sample to the judge; a test's own messages are the author's. */
export const MOST_FRAME_BYTES = 16 * MEGABYTE
const SCRATCH_BYTES = 32 * MEGABYTE
/** A server lives as long as its forks together. */
const FOREVER_MS = 24 * 3_600_000

const PROGRAMS = new URL('../../../../programs/python/', import.meta.url)

/**
 * Reads the programs as one message, makes a package of them in memory and starts it. Without the fixed
 * seed, the order of a set of texts would change from one server to the next, and verdicts with it.
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
        exec(compile(hello['programs'][module.__name__[7:]], module.__name__, 'exec'), module.__dict__)
sys.meta_path.insert(0, Finder)
sys.path[:] = [path for path in sys.path if path not in ('', os.getcwd())]
from _assay import start
start.start(hello, Finder)
`

let programs: Record<string, string> | undefined

function readPrograms(): Record<string, string> {
  programs ??= Object.fromEntries(
    readdirSync(PROGRAMS)
      .filter((name) => name.endsWith('.py'))
      .map((name) => [name.slice(0, -3), readFileSync(new URL(name, PROGRAMS), 'utf8')]),
  )
  return programs
}

/** All Python servers that are open in a sandbox. */
export class PythonServers {
  readonly #sandbox: Sandbox
  readonly #interpreter: Interpreter
  readonly #kinds = new Map<string, ForkServers>()

  constructor(sandbox: Sandbox, interpreter: Interpreter) {
    this.#sandbox = sandbox
    this.#interpreter = interpreter
  }

  of(kind: Kind): ForkServers {
    const key = JSON.stringify([kind.role, kind.packages, kind.scratch, kind.warm])
    const known = this.#kinds.get(key)
    if (known !== undefined) return known
    const servers = new ForkServers(() => this.#start(kind))
    this.#kinds.set(key, servers)
    return servers
  }

  async close(): Promise<void> {
    await Promise.all([...this.#kinds.values()].map((servers) => servers.close()))
  }

  #start(kind: Kind): ForkServer {
    const hello = {
      programs: readPrograms(),
      role: kind.role,
      warm: kind.warm,
      // Only there is every process in sight the sample's own.
      alone: this.#sandbox.name === 'bubblewrap',
    }
    return new ForkServer(this.#sandbox, this.#program(kind), hello, MOST_FRAME_BYTES)
  }

  #program({ packages, scratch }: Kind): Program {
    const { program, reads } = this.#interpreter
    return {
      argv: [program, '-s', '-S', '-B', '-X', 'utf8', '-c', BOOT],
      reads: [...reads, ...(packages === null ? [] : [packages])],
      env: { PYTHONHASHSEED: '0', LANG: 'C.UTF-8', TZ: 'UTC' },
      // Each fork lowers these to its own.
      limits: {
        cpuMs: FOREVER_MS,
        wallMs: null,
        memoryBytes: 64 * 1024 * MEGABYTE,
        addressBytes: null,
        processes: 48,
        fileBytes: SCRATCH_BYTES,
        openFiles: 256,
      },
      scratchBytes: scratch ? SCRATCH_BYTES : 0,
      pipes: 2,
      system: false,
    }
  }
}
