/** Helpers for tests: grade a Rust sample with its tests in one call, with the usual settings. */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inspectSandbox, openSandbox } from '@assay/sandbox'
import type { CodeReport, CodeWork } from '../src/language.ts'
import { rust } from '../src/languages/rust/rust.ts'

/** True if what the tests need is installed. Otherwise they are skipped. */
export const isRustReady = async (): Promise<boolean> =>
  (await inspectSandbox()).ready && (await rust.inspect()).every(({ how }) => how === undefined)

export interface RustBench {
  run(source: string, tests: string, rest?: Partial<CodeWork>): Promise<CodeReport>
  close(): Promise<void>
}

export async function openRustBench(): Promise<RustBench> {
  const sandbox = await openSandbox('auto')
  const tools = rust.open(sandbox)
  return {
    run: (source, tests, rest = {}) =>
      tools.assess({
        files: { 'solution.rs': source },
        main: 'solution.rs',
        module: null,
        edition: null,
        format: null,
        support: {},
        tests: { kind: 'source', source: tests, entryPoint: null, prelude: null },
        lint: false,
        integrity: 'in-process',
        define: false,
        allowUnsafe: false,
        dependencies: [],
        vendor: null,
        limits: { cpuMs: 2000, memoryBytes: 256 * 1024 * 1024 },
        signal: new AbortController().signal,
        ...rest,
      }),
    async close() {
      await tools.close()
      await sandbox.close()
    },
  }
}

/**
 * Returns the outcome of each test: `ok`, or its message. If the solution does not compile, returns the errors.
 */
export const outcomesOf = ({ errors, tests }: CodeReport): unknown =>
  errors.length > 0
    ? errors
    : Object.fromEntries((tests ?? []).map(({ name, message = 'ok' }) => [name, message]))

/** Writes a crate as `cargo vendor` does. `more` is added to its manifest. */
export function writeCrate(
  folder: string,
  name: string,
  { more = '', ...files }: Readonly<Record<string, string>>,
): void {
  const manifest = `[package]\nname = "${name}"\nversion = "0.1.3"\nedition = "2021"\n\n${more}`
  const sums: Record<string, string> = {}
  for (const [path, text] of Object.entries({ 'Cargo.toml': manifest, ...files })) {
    const file = join(folder, name, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    sums[path] = createHash('sha256').update(text).digest('hex')
  }
  writeFileSync(
    join(folder, name, '.cargo-checksum.json'),
    JSON.stringify({ files: sums, package: null }),
  )
}
