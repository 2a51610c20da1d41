/**
 * The programs that run in the sandbox for TypeScript and JavaScript, each with the files it may read and its limits.
 * The source files of the programs are in `sandboxed`, next to this folder, in the sources as well as in the build.
 */
import { chmodSync, existsSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { limitedAs, makeOwnedFolder, PROFILES, readCeilings, type Program } from '@assay/sandbox'
import type { CodeLimits } from '../../../language.ts'
import { builtPrograms } from './built-programs.ts'
import { flagsOf, writePrograms, type Kind } from './bundle.ts'

const MB = 1024 * 1024

const ending = extname(import.meta.url)
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The `package.json` that tells Node that the files are ES modules. */
const PACKAGE = here('../../../../package.json')
const FRAMES = here(`../../../frames${ending}`)

const environment = { LANG: 'C.UTF-8', TZ: 'UTC' }

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
 * How many solutions a tester serves, one after another. The number is limited, so that leftovers of tests do not add
 * up. It is large, because starting a tester and compiling its code takes as long as three solutions. Each solution
 * needs a link (a channel) to the tester, and a link uses a file descriptor of this process. With this limit, sixteen
 * testers use at most half of the file descriptors that this process may have.
 */
const MOST_LINKS = Math.min(256, Math.floor((readCeilings().get('nofile') ?? Infinity) / 32))

const KINDS: readonly Kind[] = ['tester', 'solution', 'in-process']

/** The three programs: one runs tests, one holds a solution, and one holds a solution together with its tests. */
export class TesterPrograms {
  #written: Written | null = null

  /** Returns the program that runs tests. If the tests use packages, the process serves only one solution. */
  tester(packages: string | null): Program {
    const links = packages === null ? MOST_LINKS : 2
    const program = this.#program(
      'tester',
      [],
      packages === null ? [] : [packages],
      limitedAs('nodeTester', { openFiles: PROFILES.nodeTester.openFiles + links }),
    )
    return { ...program, pipes: 1 + links }
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
    const known = this.#written.hasFlags ? flagsOf(kind) : []
    return {
      ...node([...known, ...flags, join(folder, 'start.cjs')], [folder, ...reads], limited),
      isQuiet: true,
      drops: true,
    }
  }
}

interface Written {
  readonly folder: string
  /** Whether this Node supports the flags of the programs. */
  readonly hasFlags: boolean
}

function written(): Written {
  const folder = makeOwnedFolder('assay-typescript')
  chmodSync(folder, 0o755)
  const hasFlags = writePrograms(folder, KINDS, builtPrograms())
  return { folder, hasFlags }
}

export function analyzerProgram(packages: string | null): Program {
  const { checker, linter, parser, reads } = findTools()
  // The build also writes the analyzer as a compiled bundle, which starts faster than its sources.
  const folder = builtPrograms() ?? here('../sandboxed')
  const bundle = join(folder, 'analyzer-start.cjs')
  const analyzer = existsSync(bundle) ? bundle : here(`../sandboxed/analyze/analyzer${ending}`)
  const program = node(
    [...flagsOf('analyzer'), analyzer, JSON.stringify({ checker, linter, packages })],
    [PACKAGE, FRAMES, folder, ...reads, ...(packages === null ? [] : [packages])],
    limitedAs('nodeAnalyzer'),
  )
  const env = {
    ...environment,
    // The type checker has a process of its own with enough memory, so it can collect garbage less often.
    GOGC: '400',
    GOMAXPROCS: '1',
    // The linter handles one file at a time. More threads, or large memory pages, would only cost time: their memory
    // would be cleared but not used.
    TOKIO_WORKER_THREADS: '1',
    MIMALLOC_ALLOW_THP: '0',
    // Without this, the parser's package would search for its native library, which takes several milliseconds.
    NAPI_RS_NATIVE_LIBRARY_PATH: parser,
  }
  // The type checker reads its own path from `/proc/self/exe`.
  return { ...program, self: checker, env }
}

export interface Found {
  /** The path of the native TypeScript compiler (`tsc`). */
  readonly checker: string
  /** The path of oxlint's native library. */
  readonly linter: string
  /** The path of oxc-parser's native library. */
  readonly parser: string
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
    // Some package managers install packages as symbolic links, but the checker needs its real path.
    checker: realpathSync(join(native, 'lib', 'tsc')),
    linter: nativeIn(linting),
    parser: nativeIn(parsing),
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

/** Returns the path of the native library in a package. */
const nativeIn = (folder: string): string => join(folder, manifestOf(folder).main ?? 'index.node')

/** Returns the folder of an installed package, looked up from the file `from`. */
function packageOf(name: string, from: string): string {
  for (const folder of createRequire(from).resolve.paths(name) ?? []) {
    const place = join(folder, name)
    if (existsSync(join(place, 'package.json'))) return place
  }
  throw new Error(`the package ${name} is not installed`)
}

/**
 * Returns the folder of a package's native part for this machine. Packages exist for several C libraries, and the
 * installed one is found.
 */
function bindingOf(name: string, parent: string): string {
  const system = `${name}-${process.platform}-${process.arch}`
  for (const one of [`${system}-gnu`, `${system}-musl`, system])
    try {
      return packageOf(one, join(parent, 'package.json'))
    } catch {
      // The package of this name is not installed. Try the next name.
    }
  throw new Error(`the native part of ${dirname(name)} for this machine is not installed`)
}
