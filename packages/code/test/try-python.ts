/** For tests: a sample and its tests in one call, with the settings that most cases have. */
import { openSandbox, type Sandbox } from '@assay/sandbox'
import type { CodeReport, CodeWork, LanguageTools, Tests } from '../src/language.ts'
import { askInterpreter, findInterpreter } from '../src/languages/python/host/interpreter.ts'
import { openPython } from '../src/languages/python/python.ts'

/** What is needed is here: else tests are skipped. */
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
  /** Tests as source, or in full; lint is off unless asked for. */
  run(code: string, tests: string | Tests | null, rest?: Partial<CodeWork>): Promise<CodeReport>
  close(): Promise<void>
}

/** The tests can be run with another interpreter, to see that they hold there too. */
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

/** `passed` or `FAILED: why` by name. */
export const outcomes = ({ tests }: CodeReport): Record<string, string> =>
  Object.fromEntries(
    (tests ?? []).map(({ name, passed, message }) => [
      name,
      passed ? 'passed' : `FAILED: ${message ?? ''}`,
    ]),
  )
