/** Helpers for tests: one set of tools, and short calls to grade TypeScript samples with them. */
import { inspectSandbox, openSandbox } from '@assay/sandbox'
import type { CodeReport, CodeWork, Language, Tests } from '../src/language.ts'
import { typescript } from '../src/languages/typescript/typescript.ts'

export interface Bench {
  run(
    code: string | CodeWork['files'],
    tests: string | Tests | null,
    over?: Partial<CodeWork>,
  ): Promise<CodeReport>
  close(): Promise<void>
}

export const isSandboxReady = async (): Promise<boolean> => (await inspectSandbox()).ready

export async function openBench(language: Language = typescript): Promise<Bench> {
  const sandbox = await openSandbox('bubblewrap')
  const tools = language.open(sandbox)
  return {
    run(code, tests, over) {
      const files = typeof code === 'string' ? { [language.main]: code } : code
      return tools.assess({
        files,
        main: language.main in files ? language.main : (Object.keys(files)[0] ?? ''),
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
        limits: { cpuMs: 1000, memoryBytes: 128 * 1024 * 1024 },
        signal: new AbortController().signal,
        ...over,
      })
    },
    async close() {
      await tools.close()
      await sandbox.close()
    },
  }
}

/** The tests by name: `passed`, or the reason why not. */
export function outcomes({ tests, errors }: CodeReport): Record<string, string> {
  if (tests === null)
    return { compile: errors.map(({ message }) => message).join('\n') || 'no tests' }
  return Object.fromEntries(
    tests.map(({ name, passed, message }) => [name, passed ? 'passed' : (message ?? 'failed')]),
  )
}

/** Returns the tests that did not pass. */
export const failures = (report: CodeReport): Record<string, string> =>
  Object.fromEntries(Object.entries(outcomes(report)).filter(([, outcome]) => outcome !== 'passed'))
