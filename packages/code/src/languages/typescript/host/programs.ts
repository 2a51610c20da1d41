/**
 * The sandbox programs for TypeScript and JavaScript: for each, what it may read and use. Their files are next to
 * this one, both in the sources and in the build.
 */
import { chmodSync, existsSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { limitedAs, makeOwnedFolder, PROFILES, readCeilings, type Program } from '@assay/sandbox'
import type { CodeLimits } from '../../../language.ts'
import { writePrograms } from './bundle.ts'

const MB = 1024 * 1024

const ending = extname(import.meta.url)
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const sandboxed = (name: string): string => here(`../sandboxed/${name}${ending}`)

/** Tells Node that the files are modules. */
const PACKAGE = here('../../../../package.json')
const FRAMES = here(`../../../frames${ending}`)

const environment = { LANG: 'C.UTF-8', TZ: 'UTC' }

const OURS = [PACKAGE, FRAMES, here('../sandboxed')]

type Limited = ReturnType<typeof limitedAs>

const node = (args: readonly string[], reads: readonly string[], limited: Limited): Program => ({
  argv: [process.execPath, '--no-warnings', ...args],
  reads: [process.execPath, ...reads],
  env: environment,
  ...limited,
  pipes: 1,
  system: false,
})

/**
 * With these flags a process for a solution takes a fifth less CPU time.
 * - Keep the hash seed that Node was built with. A random seed protects against keys that are chosen to collide, but
 *   here a solution could only harm itself.
 * - One thread for V8's work, and none that waits for a debugger.
 * - Only the optimizing compiler, which starts when code runs long. The quick compilers pay off for programs that run
 *   a second, not a few milliseconds.
 */
const LEAN = [
  '--no-rehash-snapshot',
  '--disable-sigusr1',
  '--v8-pool-size=1',
  '--no-sparkplug',
  '--no-maglev',
] as const

/**
 * A tester runs long enough for the quick compilers. Solutions leave only garbage in it, and collecting that later is
 * less work. A cache compiled with other flags is ignored.
 */
const LASTING = [
  '--sparkplug',
  '--maglev',
  '--min-semi-space-size=16',
  '--single-threaded-gc',
] as const

/**
 * How many solutions a tester serves, one after another. The number is limited, because what tests leave behind must
 * not add up. Starting a tester and compiling its code takes as long as three solutions. Each link is a descriptor in
 * this process: half of the descriptors allowed are enough for sixteen testers.
 */
const MOST_LINKS = Math.min(256, Math.floor((readCeilings().get('nofile') ?? Infinity) / 32))

const KINDS = ['tester', 'solution', 'in-process'] as const
type Kind = (typeof KINDS)[number]

/** The three programs: one runs tests, one holds a solution, and one holds a solution together with its tests. */
export class TesterPrograms {
  #written: Written | null = null

  tester(): Program {
    const program = this.#program(
      'tester',
      [],
      [],
      limitedAs('nodeTester', { openFiles: PROFILES.nodeTester.openFiles + MOST_LINKS }),
    )
    return { ...program, pipes: 1 + MOST_LINKS }
  }

  sample(
    kind: 'solution' | 'in-process',
    { cpuMs, memoryBytes }: CodeLimits,
    packages: string | null,
  ): Program {
    return this.#program(
      kind,
      [`--max-old-space-size=${Math.max(16, Math.floor(memoryBytes / MB))}`],
      packages === null ? [] : [packages],
      limitedAs('nodeSample', {
        cpuMs,
        memoryBytes: PROFILES.nodeSample.memoryBytes + memoryBytes,
      }),
    )
  }

  remove(): void {
    if (this.#written !== null) rmSync(this.#written.folder, { recursive: true, force: true })
    this.#written = null
  }

  #program(
    kind: Kind,
    flags: readonly string[],
    reads: readonly string[],
    limited: Limited,
  ): Program {
    this.#written ??= written()
    const folder = join(this.#written.folder, kind)
    const { hasFlags } = this.#written
    const known = [...(hasFlags ? LEAN : []), ...(hasFlags && kind === 'tester' ? LASTING : [])]
    return {
      ...node([...known, ...flags, join(folder, 'start.cjs')], [folder, ...reads], limited),
      isQuiet: true,
      drops: true,
    }
  }
}

interface Written {
  readonly folder: string
  /** Whether this Node supports the flags. */
  readonly hasFlags: boolean
}

function written(): Written {
  const folder = makeOwnedFolder('assay-typescript')
  chmodSync(folder, 0o755)
  const hasFlags = writePrograms(folder, KINDS, ['--no-warnings', ...LEAN])
  return { folder, hasFlags }
}

/** The type stripper is WebAssembly. It never runs long enough for optimized code to pay off. */
const FRONT = ['--liftoff-only', '--wasm-lazy-validation', '--single-threaded-gc'] as const

export function analyzerProgram(packages: string | null): Program {
  const { checker, linter, reads } = findTools()
  const program = node(
    [...FRONT, sandboxed('analyze/analyzer'), JSON.stringify({ checker, linter, packages })],
    [...OURS, ...reads, ...(packages === null ? [] : [packages])],
    limitedAs('nodeAnalyzer'),
  )
  // The checker needs to know its own path. It runs alone, so it can collect garbage less often.
  return { ...program, self: checker, env: { ...environment, GOGC: '400', GOMAXPROCS: '1' } }
}

export interface Found {
  /** The path of the native `tsc`. */
  readonly checker: string
  /** The path of oxlint's native library. */
  readonly linter: string
  readonly reads: readonly string[]
  readonly versions: {
    readonly typescript: string
    readonly oxlint: string
    readonly parser: string
  }
}

let found: Found | null = null

/** Returns where the tools are installed. Throws if one is missing. */
export function findTools(): Found {
  if (found !== null) return found
  const typescript = packageOf('typescript', import.meta.url)
  const native = packageOf(
    `@typescript/typescript-${process.platform}-${process.arch}`,
    join(typescript, 'package.json'),
  )
  const oxlint = packageOf('oxlint', import.meta.url)
  const linting = bindingOf('@oxlint/binding', oxlint)
  const parser = packageOf('oxc-parser', import.meta.url)
  const parsing = bindingOf('@oxc-parser/binding', parser)
  found = {
    // Some installers link packages, but the checker needs its real path.
    checker: realpathSync(join(native, 'lib', 'tsc')),
    linter: join(linting, manifestOf(linting).main ?? 'index.node'),
    reads: [typescript, native, linting, parser, parsing],
    versions: {
      typescript: manifestOf(typescript).version,
      oxlint: manifestOf(oxlint).version,
      parser: manifestOf(parser).version,
    },
  }
  return found
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly main?: string
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest

/** Returns the folder of an installed package, resolved from a file. */
function packageOf(name: string, from: string): string {
  for (const folder of createRequire(from).resolve.paths(name) ?? []) {
    const place = join(folder, name)
    if (existsSync(join(place, 'package.json'))) return place
  }
  throw new Error(`the package ${name} is not installed`)
}

/** Returns the native part of a package for this machine, for any C library. */
function bindingOf(name: string, parent: string): string {
  const system = `${name}-${process.platform}-${process.arch}`
  for (const one of [`${system}-gnu`, `${system}-musl`, system])
    try {
      return packageOf(one, join(parent, 'package.json'))
    } catch {
      // Try the next one.
    }
  throw new Error(`the native part of ${dirname(name)} for this machine is not installed`)
}
