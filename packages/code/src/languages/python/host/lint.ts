/**
 * Lints with ruff's rules E and F and its default settings (for example, lines of at most 88 characters). Ruff runs
 * as WebAssembly in sandboxed servers. If ruff hangs or crashes on a file, the file gets one warning about that. So a
 * bug of ruff does not fail a solution, and a solution cannot avoid warnings by crashing ruff.
 */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { limitedAs, SandboxError, type Program, type Sandbox } from '@assay/sandbox'
import type { Diagnostic, Sources } from '../../../language.ts'
import { SandboxServer, ServerDied } from '../../../server.ts'
import type { LintRequest } from '../sandboxed/ruff.ts'

const PACKAGE = '@astral-sh/ruff-wasm-nodejs'
const LINT_MS = 10_000

const program = fileURLToPath(
  new URL(`../sandboxed/ruff${extname(import.meta.url)}`, import.meta.url),
)
const packageFile = fileURLToPath(new URL('../../../../package.json', import.meta.url))
const require = createRequire(import.meta.url)

/** Returns ruff's version, or null if it is not installed. */
export function ruffVersion(): string | null {
  try {
    return (require(`${PACKAGE}/package.json`) as { version: string }).version
  } catch {
    return null
  }
}

/**
 * Returns the name of the file with the compiled form of ruff, which the package build makes for this version of
 * Node. Null if ruff is not installed.
 */
export function compiledName(): string | null {
  const version = ruffVersion()
  if (version === null) return null
  return `ruff-${version}-${process.version}-${process.platform}-${process.arch}.compiled`
}

/**
 * The folders in which the compiled form of ruff may be: next to this program and, if Assay runs from its sources,
 * the folder of the build. The content depends only on the versions in the file's name, so the file of an older build
 * can be used too.
 */
const COMPILED_IN = [
  dirname(program),
  fileURLToPath(new URL('../../../../dist/languages/python/sandboxed', import.meta.url)),
]

/**
 * Returns the program that runs ruff. It gets no V8 flags on its command line, because V8 would then ignore the
 * compiled form of ruff.
 */
function ruffProgram(): Program {
  const ruff = require.resolve(PACKAGE)
  const name = compiledName()
  const files = name === null ? [] : COMPILED_IN.map((folder) => join(folder, name))
  const compiled = files.filter((file) => existsSync(file)).slice(0, 1)
  return {
    argv: [
      process.execPath,
      '--disable-warning=ExperimentalWarning',
      '--disable-sigusr1',
      '--v8-pool-size=1',
      '--single-threaded-gc',
      program,
      ruff,
      ...compiled,
    ],
    reads: [process.execPath, program, packageFile, dirname(ruff), ...compiled],
    env: {},
    ...limitedAs('pythonLinter'),
    pipes: 1,
    system: false,
  }
}

export class Linters {
  readonly #servers: SandboxServer[] = []
  readonly #sandbox: Sandbox

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox
  }

  start(): void {
    this.#least().start()
  }

  /** Returns the warnings of ruff. Rejects with `SandboxError` if the linter cannot be started. */
  async lint(files: Sources, target: string): Promise<readonly Diagnostic[]> {
    const request: LintRequest = { files, target }
    try {
      return (await this.#least().ask(request, LINT_MS)) as Diagnostic[]
    } catch (error) {
      if (!(error instanceof ServerDied)) throw error
      const [file = ''] = Object.keys(files)
      const why = error.how === 'timeout' ? 'did not end on this code' : 'failed on this code'
      return [{ file, line: 1, column: 1, code: null, message: `the linter ${why}` }]
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()))
  }

  /**
   * Returns the server with the fewest requests. Starts another one if all are busy and the machine has more
   * cores than servers.
   */
  #least(): SandboxServer {
    const least = this.#servers.toSorted((a, b) => a.load - b.load)[0]
    if (least !== undefined && (least.load < 2 || this.#servers.length >= availableParallelism()))
      return least
    if (ruffVersion() === null) throw new SandboxError(`${PACKAGE} is not installed`)
    const made = new SandboxServer(this.#sandbox, ruffProgram)
    this.#servers.push(made)
    return made
  }
}
