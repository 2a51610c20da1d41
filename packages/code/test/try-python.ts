/** Helpers for tests: grade a Python sample with its tests in one call, with the usual settings. */
import { openSandbox, type Sandbox } from '@assay/sandbox'
import type { CodeReport, CodeWork, LanguageTools, Tests } from '../src/language.ts'
import { askInterpreter, findInterpreter } from '../src/languages/python/host/interpreter.ts'
import { openPython } from '../src/languages/python/python.ts'

/** True if what the tests need is installed. Otherwise they are skipped. */
export async function isPythonReady(): Promise<boolean> {
  try {
    await (await openSandbox('auto')).close()
    return (await findInterpreter()) !== null
  } catch {
    return false
  }
}

export interface Bench {
  readonly sandbox: Sandbox
  readonly tools: LanguageTools
  /** The tests as source or as an object. The linter is off by default. */
  run(code: string, tests: string | Tests | null, rest?: Partial<CodeWork>): Promise<CodeReport>
  close(): Promise<void>
}

/** Another interpreter can be set, to check that the tests hold there too. */
const OTHER = process.env['ASSAY_TEST_PYTHON']

export async function openBench(options: { filter?: boolean } = {}): Promise<Bench> {
  const sandbox = await openSandbox('auto')
  const other = OTHER === undefined ? null : await askInterpreter(OTHER)
  const tools = openPython(sandbox, {
    ...options,
    ...(other === null ? {} : { interpreter: other }),
  })
  return {
    sandbox,
    tools,
    run: (code, tests, rest = {}) =>
      tools.assess({
        files: { 'solution.py': code },
        main: 'solution.py',
        module: null,
        edition: null,
        format: null,
        support: {},
        tests:
          typeof tests === 'string'
            ? { kind: 'source', source: tests, entryPoint: null, prelude: null }
            : tests,
        lint: false,
        integrity: 'isolated',
        define: false,
        allowUnsafe: false,
        dependencies: [],
        vendor: null,
        limits: { cpuMs: 2000, memoryBytes: 512 * 2 ** 20 },
        signal: new AbortController().signal,
        ...rest,
      }),
    async close() {
      await tools.close()
      await sandbox.close()
    },
  }
}

/** The result of each test by name: `passed`, or `FAILED:` and the reason. */
export const outcomes = ({ tests }: CodeReport): Record<string, string> =>
  Object.fromEntries(
    (tests ?? []).map(({ name, passed, message }) => [
      name,
      passed ? 'passed' : `FAILED: ${message ?? ''}`,
    ]),
  )
