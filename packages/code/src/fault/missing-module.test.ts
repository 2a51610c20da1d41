/**
 * Tests may import a module that neither the case's files nor an answer provides. Then the tests are at fault: a trial
 * is errored, and `validate` reports the case. Also covered: every form of import, files of the case that import
 * further files, names that differ in case, cases with and without a reference, both levels of integrity, imports
 * that only look like this, and answers that try to be errored on purpose.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Case, Suite } from '@assay/contract'
import { inspectSandbox, openSandbox, type Sandbox } from '@assay/sandbox'
import { fakeCase } from '../../../assay/test/fakes.ts'
import { isPythonReady } from '../../test/try-python.ts'
import { lookAtTests, runTests } from '../check-tests.ts'
import { codeOptions, gradeCode } from '../grade-code.ts'
import { rust } from '../languages/rust/rust.ts'
import { closeTools } from '../open-tools.ts'

const isReady = (await inspectSandbox()).ready && (await isPythonReady())
const hasRust = (await rust.inspect()).every(({ version }) => version !== null)

const RIGHT: Readonly<Record<string, string>> = {
  python: 'def f(x):\n    return x + 1\n',
  typescript: 'export const f = (x: number): number => x + 1\n',
  javascript: 'export const f = (x) => x + 1\n',
  rust: 'pub fn f(x: i64) -> i64 { x + 1 }\n',
}
const WRONG: Readonly<Record<string, string>> = {
  python: 'def f(x):\n    return x\n',
  typescript: 'export const f = (x: number): number => x\n',
  javascript: 'export const f = (x) => x\n',
  rust: 'pub fn f(x: i64) -> i64 { x }\n',
}

const F = "import { f } from './solution'\n"
const TWICE = "it('t', () => { expect(twice(f(1))).toBe(4) })"
const ONCE = "it('t', () => { expect(f(1)).toBe(2) })"
const HELPER = { 'helper.js': 'export const twice = (x) => 2 * x' }

interface Row {
  readonly language: string
  readonly tests: string
  readonly files?: Readonly<Record<string, string>>
  readonly says?: RegExp
  readonly id?: string
}

const missing = (language: string, tests: string, says: RegExp, files = {}): Row => ({
  language,
  tests,
  says,
  files,
})

const MISSING: readonly Row[] = [
  missing('typescript', `${F}import { twice } from './helper'\n${TWICE}`, /\.\/helper/),
  missing('javascript', `${F}import twice from '../helper'\n${TWICE}`, /\.\.\/helper/),
  missing(
    'typescript',
    `${F}import * as h from './lib/helper.js'\nit('t', () => { expect(h.twice(f(1))).toBe(4) })`,
    /\.\/lib\/helper\.js/,
  ),
  missing(
    'javascript',
    `const { f } = require('./solution')\nconst { twice } = require('./helper')\n${TWICE}`,
    /\.\/helper/,
  ),
  missing(
    'javascript',
    `${F}it('t', async () => { const { twice } = await import('./helper'); expect(twice(f(1))).toBe(4) })`,
    /\.\/helper/,
  ),
  missing('typescript', `${F}const { twice } = await import('./helper')\n${TWICE}`, /\.\/helper/),
  missing('typescript', `${F}export { twice } from './helper'\n${ONCE}`, /\.\/helper/),
  missing('javascript', `${F}export * from './helper'\n${ONCE}`, /\.\/helper/),
  missing('javascript', `${F}import './setup'\n${ONCE}`, /\.\/setup/),
  missing(
    'typescript',
    `${F}import rows from './rows.json'\nfor (const [a, b] of rows) it('t' + a, () => { expect(f(a)).toBe(b) })`,
    /\.\/rows\.json/,
  ),
  missing('javascript', `${F}import { twice } from './Helper'\n${TWICE}`, /\.\/Helper/, HELPER),
  missing(
    'javascript',
    `${F}import { twice } from './helper'\n${TWICE}`,
    /helper\.js imports times/,
    {
      'helper.js': "import { times } from './times'\nexport const twice = (x) => times(2, x)",
    },
  ),
  missing(
    'python',
    'from solution import f\nfrom helper import twice\n\ndef test_f():\n    assert twice(f(1)) == 4\n',
    /helper/,
  ),
  missing(
    'python',
    'from solution import f\n\ndef test_f():\n    import helper\n    assert helper.twice(f(1)) == 4\n',
    /helper/,
  ),
  missing(
    'python',
    'from solution import f\nfrom Helper import twice\n\ndef test_f():\n    assert twice(f(1)) == 4\n',
    /Helper/,
    { 'helper.py': 'def twice(x):\n    return 2 * x\n' },
  ),
  missing(
    'python',
    'from solution import f\nfrom helper import twice\n\ndef test_f():\n    assert twice(f(1)) == 4\n',
    /times/,
    { 'helper.py': 'from times import times\n\ndef twice(x):\n    return times(2, x)\n' },
  ),
  ...(hasRust
    ? [
        missing(
          'rust',
          'use solution::f;\nmod helper;\n#[test] fn t() { assert_eq!(helper::twice(f(1)), 4); }',
          /module helper/,
        ),
      ]
    : []),
]

/** Imports that look like those above, but nothing is missing. */
const THERE: readonly Row[] = [
  {
    language: 'typescript',
    tests: `${F}import type { Row } from './types'\nit('t', () => { const r: Row = [1, 2]; expect(f(r[0])).toBe(2) })`,
  },
  {
    language: 'typescript',
    tests: `${F}import { type Row } from './types'\nimport { Other } from './types'\nit('t', () => { const r: Row & Other = [1, 2]; expect(f(r[0])).toBe(2) })`,
  },
  {
    language: 'javascript',
    tests: `import { vi } from 'vitest'\n${F}import { twice } from './helper'\nvi.mock('./helper', () => ({ twice: (x) => 2 * x }))\n${TWICE}`,
  },
  {
    language: 'javascript',
    tests: `const { f } = require('./solution')\nconst { twice } = require('./helper')\n${TWICE}`,
    files: HELPER,
  },
  {
    language: 'javascript',
    id: 'increment',
    tests: `import { f } from './increment'\nimport { twice } from './helper'\n${TWICE}`,
    files: {
      'helper.js': "import { f } from './increment'\nexport const twice = (x) => x + f(x - 1)",
    },
  },
  {
    language: 'javascript',
    tests: `const { f } = require('./solution')\nconst rows = require('./rows.json')\nfor (const [a, b] of rows) it('t' + a, () => { expect(f(a)).toBe(b) })`,
    files: { 'rows.json': '[[1, 2], [2, 3]]' },
  },
  { language: 'javascript', tests: `const { f } = require('..')\n${ONCE}` },
  {
    language: 'javascript',
    id: 'increment',
    tests: `let s\nbeforeAll(async () => { s = await import('./increment') })\nit('t', () => { expect(s.f(1)).toBe(2) })`,
  },
  {
    language: 'python',
    tests:
      'from solution import f\ntry:\n    import helper\nexcept ImportError:\n    helper = None\n\ndef test_f():\n    assert f(1) == 2\n',
  },
]

describe.skipIf(!isReady)('a module that nobody provides', () => {
  let sandbox: Sandbox
  let cases = 0
  beforeAll(async () => {
    sandbox = await openSandbox('auto')
  })
  afterAll(async () => {
    await closeTools()
    await sandbox.close()
  })
  const signal = new AbortController().signal
  const options = (integrity: string): ReturnType<typeof codeOptions.parse> =>
    codeOptions.parse({ integrity, timeout: '5s' })
  const made = ({ id = 'c', ...row }: Row, integrity: string, change: Partial<Case> = {}): Case =>
    fakeCase(id, {
      hash: `missing-${++cases}`,
      lint: 'off',
      language: row.language,
      tests: row.tests,
      files: row.files ?? {},
      graders: [{ type: 'code', weight: 1, options: options(integrity) }],
      ...change,
    } as Partial<Case>)
  const outcome = (one: Case, answer: string, integrity: string): Promise<string> =>
    gradeCode({ case: one, answer, files: {}, folder: null }, options(integrity), {
      signal,
      timeoutMs: 5000,
      sandbox,
    }).then(
      ({ passed, reason }) => `${passed === true ? 'passed' : 'failed'}: ${reason}`,
      (error: Error) => `errored: ${error.message}`,
    )
  const validated = async (one: Case): Promise<string> => {
    const suite = { id: 's', path: 's.toml', cases: [one] } as unknown as Suite
    const { findings, unclear } = lookAtTests([suite], { every: true })
    const checking = { sandbox, folderOf: (): string => '.', timeoutMs: 5000, signal }
    const found = [...findings, ...(await runTests(unclear, checking))]
    return found.map(({ kind, text }) => `${kind}: ${text}`).join('\n')
  }
  const levels = ({ language }: Row): string[] =>
    language === 'rust' ? ['auto'] : ['auto', 'in-process']

  it.each(MISSING.map((row) => [row.language, row.tests, row] as const))(
    'is the tests’ fault: %s %s',
    async (language, _, row) => {
      for (const integrity of levels(row))
        for (const reference of [RIGHT[language] ?? '', null]) {
          const one = made(row, integrity, { reference })
          const faults = [
            await validated(one),
            await outcome(one, RIGHT[language] ?? '', integrity),
            await outcome(one, WRONG[language] ?? '', integrity),
          ]
          for (const fault of faults) {
            expect(fault).toMatch(/^(?:at-fault|errored): the tests of the case are at fault: /)
            expect(fault).toMatch(row.says ?? /./)
          }
        }
    },
    60_000,
  )

  it.each(THERE.map((row) => [row.language, row.tests, row] as const))(
    'is not reported where nothing is missing: %s %s',
    async (language, _, row) => {
      for (const integrity of levels(row))
        for (const reference of [RIGHT[language] ?? '', null]) {
          const one = made(row, integrity, { reference })
          expect(await validated(one)).toBe('')
          expect(await outcome(one, RIGHT[language] ?? '', integrity)).toMatch(/^passed/)
          expect(await outcome(one, WRONG[language] ?? '', integrity)).toMatch(/^failed/)
        }
    },
    60_000,
  )

  it('is not one that the reference or the prompt shows to be part of an answer', async () => {
    const tests = `${F}import { Bad } from './errors'\nit('t', () => { expect(f(1)).toBe(2); expect(new Bad('x')).toBeInstanceOf(Error) })`
    const row = { language: 'javascript', tests }
    const whole = `${RIGHT['javascript']}export class Bad extends Error {}\n`
    const parts = `\`\`\`js\n// solution.js\n${RIGHT['javascript']}\`\`\`\n\n\`\`\`js\n// errors.js\nexport class Bad extends Error {}\n\`\`\`\n`
    const changes: Partial<Case>[] = [
      { reference: whole },
      { reference: parts },
      { turns: ['Write `solution.js` and `errors.js`.'] },
      { turns: ['The class is in the module errors.'] },
    ]
    for (const change of changes) {
      const one = made(row, 'auto', change)
      expect(await validated(one)).toBe('')
      for (const answer of [whole, parts])
        expect(await outcome(one, answer, 'auto')).toMatch(/^passed/)
      // An answer that leaves the module out has failed.
      expect(await outcome(one, RIGHT['javascript'] ?? '', 'auto')).toMatch(/^failed/)
    }
  })

  it('does not let an answer choose to be errored', async () => {
    const rows: readonly (readonly [string, string, string])[] = [
      [
        'javascript',
        `${F}it('t', async () => { const x = f(1); if (x > 9) await import('./helper'); expect(x).toBe(2) })`,
        "export const f = () => { throw new Error('the tests import ./helper, which is not there') }",
      ],
      [
        'python',
        'from solution import f\n\ndef test_f():\n    x = f(1)\n    if x == 9:\n        import helper\n    assert x == 2\n',
        'def f(x):\n    raise ModuleNotFoundError("No module named \'helper\'")\n',
      ],
      [
        'python',
        'from solution import f\n\ndef test_f():\n    assert f(1) == 2\n',
        'import helper\n\ndef f(x):\n    return x + 1\n',
      ],
    ]
    for (const [language, tests, answer] of rows)
      for (const integrity of ['auto', 'in-process'])
        for (const reference of [RIGHT[language] ?? '', null]) {
          const one = made({ language, tests }, integrity, { reference })
          expect(await outcome(one, answer, integrity)).toMatch(/^failed/)
        }
  })
})
