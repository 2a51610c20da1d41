/**
 * The programs that run inside the sandbox for TypeScript and JavaScript, as the sandbox is told of them:
 * what each may read and use. They lie beside this file, in the sources as in what is built from them.
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

/** For Node to know that files are modules. */
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
 * With these a process for a sample takes a fifth less processor time. The seed of hashes that Node was
 * built with: another one keeps strangers from choosing keys that collide, which a sample could only do to
 * itself. One thread for V8's work, none that waits for a debugger. No compilers but the best one, which
 * comes in when code runs long: the quick ones are for what runs a second, not some milliseconds.
 */
const LEAN = [
  '--no-rehash-snapshot',
  '--disable-sigusr1',
  '--v8-pool-size=1',
  '--no-sparkplug',
  '--no-maglev',
] as const

/**
 * A tester runs long enough for the quick compilers, and each sample leaves it nothing but garbage, which is
 * the less work the later it is collected. What was compiled with other flags is passed over.
 */
const LASTING = [
  '--sparkplug',
  '--maglev',
  '--min-semi-space-size=16',
  '--single-threaded-gc',
] as const

/**
 * How many samples a tester has, one after another: what a test leaves behind in it must not add up. It takes
 * as long as three samples to start one and to have its code compiled. Each link is a descriptor here: of
 * those that this process may have, half are enough for sixteen testers.
 */
const MOST_LINKS = Math.min(256, Math.floor((readCeilings().get('nofile') ?? Infinity) / 32))

const KINDS = ['tester', 'solution', 'in-process'] as const
type Kind = (typeof KINDS)[number]

/** The programs that test, that hold a solution, and that hold it together with its tests. */
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
  /** Whether this Node knows the flags. */
  readonly hasFlags: boolean
}

function written(): Written {
  const folder = makeOwnedFolder('assay-typescript')
  chmodSync(folder, 0o755)
  const hasFlags = writePrograms(folder, KINDS, ['--no-warnings', ...LEAN])
  return { folder, hasFlags }
}

/** What takes the types out of a source is WebAssembly, and never runs long enough to be worth the best code. */
const FRONT = ['--liftoff-only', '--wasm-lazy-validation', '--single-threaded-gc'] as const

export function analyzerProgram(packages: string | null): Program {
  const { checker, linter, reads } = findTools()
  const program = node(
    [...FRONT, sandboxed('analyze/analyzer'), JSON.stringify({ checker, linter, packages })],
    [...OURS, ...reads, ...(packages === null ? [] : [packages])],
    limitedAs('nodeAnalyzer'),
  )
  // The checker wants to know where it lies. It works alone and need not collect its garbage that often.
  return { ...program, self: checker, env: { ...environment, GOGC: '400', GOMAXPROCS: '1' } }
}

export interface Found {
  /** The native `tsc`. */
  readonly checker: string
  /** oxlint's native part. */
  readonly linter: string
  readonly reads: readonly string[]
  readonly versions: {
    readonly typescript: string
    readonly oxlint: string
    readonly parser: string
  }
}

let found: Found | null = null

/** Where the tools are installed. Throws where one is not. */
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
    // Some installers link packages, and the checker goes by where it really lies.
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

/** The folder of an installed package, seen from a file. */
function packageOf(name: string, from: string): string {
  for (const folder of createRequire(from).resolve.paths(name) ?? []) {
    const place = join(folder, name)
    if (existsSync(join(place, 'package.json'))) return place
  }
  throw new Error(`the package ${name} is not installed`)
}

/** The native part of a package for this machine, whichever C library that has. */
function bindingOf(name: string, parent: string): string {
  const system = `${name}-${process.platform}-${process.arch}`
  for (const one of [`${system}-gnu`, `${system}-musl`, system])
    try {
      return packageOf(one, join(parent, 'package.json'))
    } catch {
      // The next.
    }
  throw new Error(`the native part of ${dirname(name)} for this machine is not installed`)
}
