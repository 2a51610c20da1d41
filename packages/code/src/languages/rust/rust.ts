/**
 * The language Rust. The linter Clippy reports compile errors and lints, and the compiler builds the tests. Both are
 * called without cargo, which only builds the crates that a case depends on. Tests run in the process of the solution
 * (`in-process`). Each test must report exactly once, with a nonce (a secret random text). The test harness reads the
 * nonce before any code of the solution runs. With `allowUnsafe` this protection is weaker, because unsafe code can
 * read the memory of its process, including the nonce.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Dependency } from '@assay/contract'
import { makeOwnedFolder, SandboxError, type Sandbox } from '@assay/sandbox'
import type { CodeReport, CodeWork, Language, LanguageTools } from '../../language.ts'
import { assess, type Workshop } from './host/assess.ts'
import { buildHarness, buildSolution } from './host/build.ts'
import { EDITION } from './host/edition.ts'
import { testCrate } from './host/tests/crate.ts'
import { buildCrates, missingCrates, resolve } from './host/dependencies.ts'
import type { Crates } from './host/crates.ts'
import { faulty } from './faulty.ts'
import { look } from './host/look.ts'
import type { MadeTest } from './host/tests/inventory.ts'
import { madeTests } from './host/tests/made-tests.ts'
import { runProgram } from './host/run.ts'
import { inspectRust, type Inspected, type Toolchain } from './host/toolchain.ts'
import { rustSource } from './host/source/source-reader.ts'

const HARNESS = new URL('../../../src/languages/rust/sandboxed/harness.rs', import.meta.url)

/** Returns the language with the toolchain that this `rustc` belongs to. Default: the first `rustc` in PATH. */
export function rustWith(rustc?: string): Language {
  let inspected: Promise<Inspected> | null = null
  const inspect = (): Promise<Inspected> => (inspected ??= inspectRust(rustc))
  const toolchain = async (): Promise<Toolchain> => {
    const { toolchain: found, tools } = await inspect()
    if (found === null)
      throw new SandboxError(
        `Rust is not ready: ${tools.flatMap(({ how }) => how ?? []).join('; ')}`,
      )
    return found
  }
  return {
    name: 'rust',
    fences: ['rust', 'rs'],
    main: 'solution.rs',
    endings: ['.rs'],
    source: rustSource,
    callsFault: { found: 'calls in a Rust case', expected: 'tests: data has no Rust types' },
    caseKeys: ['allowUnsafe', 'edition', 'includeIgnored'],
    vendorFolder: 'cargo',
    isolated: false,
    control: {
      solution: 'pub fn seven() -> i32 {\n    7\n}\n',
      tests: '#[test]\nfn control() {\n    assert_eq!(seven(), 7);\n}\n',
    },
    look,
    standIn: () => null,
    faulty,
    inspect: async () => (await inspect()).tools,
    async missing(dependencies, vendor) {
      if (dependencies.length === 0) return []
      return missingCrates(await toolchain(), dependencies, vendor)
    },
    open: (sandbox) => new RustTools(sandbox, toolchain),
  }
}

export const rust: Language = rustWith()

/** For each edition, the minor version of the oldest compiler that supports it: 85 means Rust 1.85. */
const EDITION_SINCE: Readonly<Record<string, number>> = { '2024': 85 }

function editionFault(edition: string | null, { version }: Toolchain): string | null {
  const since = EDITION_SINCE[edition ?? EDITION]
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (since === undefined || major > 1 || minor >= since) return null
  return `edition ${edition} needs Rust 1.${since} or newer, and this is Rust ${version}`
}

/** Resources that are made once and used for all solutions. */
interface Ready {
  readonly toolchain: Toolchain
  readonly folder: string
  readonly harness: string
}

class RustTools implements LanguageTools {
  readonly #sandbox: Sandbox
  readonly #toolchain: () => Promise<Toolchain>
  readonly #crates = new Map<string, Promise<Crates>>()
  readonly #made = new Map<string, Promise<readonly MadeTest[]>>()
  readonly #closing = new AbortController()
  #ready: Promise<Ready> | null = null
  #proof: Promise<void> | null = null

  constructor(sandbox: Sandbox, toolchain: () => Promise<Toolchain>) {
    this.#sandbox = sandbox
    this.#toolchain = toolchain
  }

  start(): void {
    this.#prepare().catch(() => {})
  }

  async assess(work: CodeWork): Promise<CodeReport> {
    work.signal.throwIfAborted()
    if (this.#closing.signal.aborted) throw new SandboxError('the graders were closed')
    const { toolchain, folder, harness } = await this.#prepare()
    const fault = editionFault(work.edition, toolchain)
    if (fault !== null) throw new SandboxError(fault)
    const crates =
      work.dependencies.length === 0 ? null : await this.#built(work.dependencies, work.vendor)
    const shop: Workshop = {
      sandbox: this.#sandbox,
      toolchain,
      harness,
      folder,
      crates,
      madeTests: (source, edition) => this.#madeTests({ source, edition, crates }),
      proveSandbox: () => this.#prove(),
    }
    const signal = AbortSignal.any([work.signal, this.#closing.signal])
    return assess(shop, { ...work, signal })
  }

  async close(): Promise<void> {
    this.#closing.abort(new SandboxError('the graders were closed'))
    const ready = await this.#ready?.catch(() => null)
    if (ready != null) await rm(ready.folder, { recursive: true, force: true })
  }

  /** Makes the resources on the first call. If that fails, the next solution tries again. */
  #prepare(): Promise<Ready> {
    this.#ready ??= this.#make().catch((error: unknown) => {
      this.#ready = null
      throw error
    })
    return this.#ready
  }

  async #make(): Promise<Ready> {
    const toolchain = await this.#toolchain()
    const library = await buildHarness(this.#sandbox, toolchain, await readFile(HARNESS, 'utf8'))
    const folder = makeOwnedFolder('assay-rust')
    const harness = join(folder, 'libharness.rlib')
    await writeFile(harness, library, { mode: 0o644 })
    return { toolchain, folder, harness }
  }

  #built(dependencies: readonly Dependency[], vendor: string | null): Promise<Crates> {
    const key = JSON.stringify([vendor, dependencies])
    const known = this.#crates.get(key)
    if (known !== undefined) return known
    const made = this.#buildSet(dependencies, vendor, this.#crates.size)
    this.#crates.set(key, made)
    return made
  }

  async #buildSet(
    dependencies: readonly Dependency[],
    vendor: string | null,
    index: number,
  ): Promise<Crates> {
    const { toolchain, folder } = await this.#prepare()
    const into = join(folder, `crates-${index}`)
    await mkdir(into)
    const resolved = await resolve(toolchain, dependencies, vendor, into).catch(
      (error: unknown) => {
        throw new SandboxError('the crates of the case are not all there', { cause: error })
      },
    )
    return buildCrates(this.#sandbox, toolchain, resolved, dependencies, join(into, 'libraries'))
  }

  /** Asks the compiler which tests a source has, once for each source. */
  #madeTests(tests: Parameters<typeof madeTests>[2]): Promise<readonly MadeTest[]> {
    const key = JSON.stringify([tests.edition, tests.crates?.flags, tests.source])
    const known = this.#made.get(key)
    if (known !== undefined) return known
    const asked = this.#prepare().then(({ toolchain }) =>
      madeTests(this.#sandbox, toolchain, tests),
    )
    this.#made.set(key, asked)
    asked.catch(() => this.#made.delete(key))
    return asked
  }

  /**
   * Checks that the sandbox works. To do so, it runs a program of Assay in the same way as the programs of solutions.
   */
  #prove(): Promise<void> {
    this.#proof ??= this.#runOurs().finally(() => {
      this.#proof = null
    })
    return this.#proof
  }

  async #runOurs(): Promise<void> {
    const { toolchain, folder, harness } = await this.#prepare()
    const { signal } = this.#closing
    const { program } = await buildSolution(this.#sandbox, toolchain, harness, {
      root: '',
      files: {},
      folder: '.',
      lint: false,
      allowUnsafe: false,
      edition: EDITION,
      crates: null,
      signal,
      next: () => testCrate('', '#[test] fn runs() {}'),
    })
    const limits = { cpuMs: 5000, memoryBytes: 256 * 1024 * 1024 }
    const run = { sandbox: this.#sandbox, folder, std: toolchain.std, limits, signal }
    const ran = program === null ? null : await runProgram(program, run)
    if (ran?.ready !== true)
      throw new SandboxError('a program of tests did not start in the sandbox')
  }
}
