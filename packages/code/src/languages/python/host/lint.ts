/**
 * Ruff's rules E and F, its own settings for the rest (lines of at most 88 characters among them), from
 * its WebAssembly build in sandboxed servers. A file on which it does not end, or which it does not
 * survive, has one warning that says so: a linter's weakness fails nobody, but it is no clean bill either.
 */
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { dirname, extname } from 'node:path'
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

/** Null where it is not installed. */
export function ruffVersion(): string | null {
  try {
    return (require(`${PACKAGE}/package.json`) as { version: string }).version
  } catch {
    return null
  }
}

/** Compiled once and quickly: what optimising its code costs, no run would earn back. */
function ruffProgram(): Program {
  const ruff = require.resolve(PACKAGE)
  return {
    argv: [
      process.execPath,
      '--liftoff-only',
      '--wasm-lazy-validation',
      '--disable-warning=ExperimentalWarning',
      program,
      ruff,
    ],
    reads: [process.execPath, program, packageFile, dirname(ruff)],
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

  /** Warnings that count. Rejects with `SandboxError` where the linter cannot be started. */
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

  /** The one with the least to do; another one where all have something and cores are left. */
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
