import { openSandbox } from '@assay/sandbox'
import { afterAll, describe, expect, it } from 'vitest'
import type { CodeWork } from './language.ts'
import { languageByName } from './languages.ts'

const SOLUTIONS: Readonly<Record<string, { code: string; tests: string }>> = {
  typescript: {
    code: 'export const one = (): number => 1',
    tests: `import { test } from 'node:test'
import assert from 'node:assert'
import { one } from './solution.ts'
test('one', () => assert.equal(one(), 1))`,
  },
  python: {
    code: 'def one():\n    return 1\n',
    tests: 'from solution import one\n\ndef test_one():\n    assert one() == 1\n',
  },
  rust: {
    code: 'pub fn one() -> i32 { 1 }',
    tests: '#[test]\nfn one_is_one() { assert_eq!(one(), 1); }',
  },
}

const sandbox = await openSandbox('auto').catch(() => null)
afterAll(() => sandbox?.close())

describe.skipIf(sandbox === null).each(Object.entries(SOLUTIONS))(
  'the tools of %s',
  (name, { code, tests }) => {
    const language = languageByName(name)
    if (sandbox === null || language === undefined) throw new Error('there is nothing to test')

    const workOn = (source: string): CodeWork => ({
      files: { [language.main]: source },
      main: language.main,
      module: null,
      edition: null,
      format: null,
      support: {},
      tests: { kind: 'source', source: tests, entryPoint: null, prelude: null },
      lint: true,
      integrity: language.isolated ? 'isolated' : 'in-process',
      define: false,
      allowUnsafe: false,
      dependencies: [],
      vendor: null,
      limits: { cpuMs: 5000, memoryBytes: 512 * 2 ** 20 },
      signal: new AbortController().signal,
    })

    it('grade solutions after they were started in advance', async () => {
      const tools = language.open(sandbox)
      tools.start()
      const reports = await Promise.all([workOn(code), workOn(code)].map((w) => tools.assess(w)))
      for (const report of reports) {
        expect(report.errors).toEqual([])
        expect(report.tests?.map(({ passed }) => passed)).toEqual([true])
      }
      await tools.close()
    })

    it('can be closed while they start', async () => {
      const tools = language.open(sandbox)
      tools.start()
      await tools.close()
      await expect(tools.assess(workOn(code))).rejects.toThrow('closed')
    })
  },
)
