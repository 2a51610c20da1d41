/**
 * If tests fail, either the tests or the answer are at fault. Tests that do not parse, import a missing module,
 * contain no test or call an unknown helper make the trial errored, in every language. An answer cannot turn its
 * own failure into such an error.
 *
 * The tests also cover cases with and without a reference, both levels of integrity, a reference that is itself
 * broken, and an answer that raises the same error as a faulty test. check-tests.test.ts tests `validate`.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Case } from '@assay/contract'
import { inspectSandbox, openSandbox, type Sandbox } from '@assay/sandbox'
import { fakeCase } from '../../../assay/test/fakes.ts'
import { judged } from '../../../assay/test/grade-answer.ts'
import type { GraderOutput } from '../../../assay/src/grade/grader.ts'
import { rust } from '../languages/rust/rust.ts'
import { isPythonReady } from '../../test/try-python.ts'
import { closeTools } from '../open-tools.ts'
import { TestsFault } from './tests-fault.ts'

const isReady = (await inspectSandbox()).ready && (await isPythonReady())
const hasRust = (await rust.inspect()).every(({ version }) => version !== null)

const REFERENCE: Readonly<Record<string, string>> = {
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

type Row = readonly [
  what: string,
  language: string,
  tests: string,
  says: RegExp,
  isCertain: boolean,
]

const SCRIPTS = (language: string): Row[] => [
  ['do not parse', language, "it('t', () => { expect(f(1).toBe(2) })", /line 1/, true],
  [
    'import something missing',
    language,
    "import { z } from 'no-such-package'\nimport { f } from '../solution'\nit('t', () => { expect(f(1)).toBe(2) })",
    /no-such-package, which is not there/,
    true,
  ],
  [
    'hold no test',
    language,
    "import { f } from '../solution'\nfunction helper() { return f(1) }",
    /there is no test/,
    true,
  ],
  [
    'call an unknown helper',
    language,
    "it('t', () => { expect(prepare(f)(1)).toBe(2) })",
    /they use prepare/,
    false,
  ],
  [
    'call an unknown helper as they are loaded',
    language,
    "it('a', () => { expect(f(1)).toBe(2) })\nfor (const x of manyOf(3)) it('t' + x, () => { expect(f(x)).toBe(x + 1) })",
    /manyOf/,
    false,
  ],
]

const ROWS: readonly Row[] = [
  ['do not parse', 'python', 'assert f(1) == (2', /cannot be compiled/, true],
  [
    'import something missing',
    'python',
    'import sklearn_no_such\nfrom solution import f\n\ndef test_f():\n    assert f(1) == 2',
    /sklearn_no_such/,
    true,
  ],
  [
    'import a well-known package that is missing',
    'python',
    'import nose2\n\nassert f(1) == 2',
    /nose2/,
    true,
  ],
  [
    'hold no test',
    'python',
    'from solution import f\n\ndef helper():\n    assert f(1) == 2',
    /no test/,
    true,
  ],
  [
    'call an unknown helper',
    'python',
    'def test_f():\n    assert prepare(f)(1) == 2',
    /they use prepare/,
    false,
  ],
  [
    'call an unknown helper as they are loaded',
    'python',
    'ROWS = many(3)\n\ndef test_f():\n    assert f(1) == 2',
    /many/,
    false,
  ],
  ...SCRIPTS('typescript'),
  ...SCRIPTS('javascript'),
  ...(hasRust
    ? ([
        ['do not parse', 'rust', '#[test] fn t() { assert_eq!(f(1), 2; }', /tests:1/, true],
        [
          'import something missing',
          'rust',
          'use no_such_crate::x; use solution::f; #[test] fn t() { assert_eq!(f(1), 2); }',
          /no_such_crate/,
          false,
        ],
        ['hold no test', 'rust', 'fn helper() { assert_eq!(f(1), 2); }', /no test/, true],
        [
          'call an unknown helper',
          'rust',
          '#[test] fn t() { assert_eq!(prepare(f(1)), 2); }',
          /prepare/,
          false,
        ],
      ] as const)
    : []),
]

/**
 * Sources of a test that runs (`runs`) and of a test that is skipped (`skips`). The tests below use both together and
 * the skipped one alone.
 */
const SKIPPING: readonly (readonly [
  language: string,
  runs: string,
  skips: string,
  isCertain: boolean,
])[] = [
  [
    'javascript',
    "it('a', () => { expect(f(1)).toBe(2) })\n",
    "it.skip('b', () => { expect(f(1)).toBe(3) })",
    true,
  ],
  ['typescript', "it('a', () => { expect(f(1)).toBe(2) })\n", "test.todo('b')", true],
  [
    'javascript',
    "it('a', () => { expect(f(1)).toBe(2) })\n",
    "it('b', { skip: true }, () => { expect(f(1)).toBe(3) })",
    false,
  ],
  [
    'python',
    'import pytest\n\ndef test_a():\n    assert f(1) == 2\n\n',
    'import pytest\n\n@pytest.mark.skip\ndef test_b():\n    assert f(1) == 3\n',
    true,
  ],
  [
    'python',
    'import unittest\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(f(1), 2)\n\n',
    'import unittest\n\nclass B(unittest.TestCase):\n    @unittest.skip("later")\n    def test_b(self):\n        self.assertEqual(f(1), 3)\n',
    true,
  ],
  ...(hasRust
    ? [
        [
          'rust',
          '#[test] fn a() { assert_eq!(f(1), 2); }\n',
          '#[test] #[ignore] fn b() { assert_eq!(f(1), 3); }',
          true,
        ] as const,
      ]
    : []),
]

describe.skipIf(!isReady)('whose fault', () => {
  let sandbox: Sandbox
  let cases = 0
  beforeAll(async () => {
    sandbox = await openSandbox('auto')
  })
  afterAll(async () => {
    await closeTools()
    await sandbox.close()
  })
  const made = (change: Partial<Case>): Case =>
    fakeCase('c', { hash: `fault-${++cases}`, lint: 'off', ...change })
  const graded = (one: Case, answer: string, integrity = 'auto'): Promise<GraderOutput> =>
    judged('code', { integrity, timeout: '3s' }, answer, { case: one }, { sandbox })
  const thrown = (one: Case, answer: string, integrity?: string): Promise<unknown> =>
    graded(one, answer, integrity).then(
      ({ reason }) => `graded: ${reason}`,
      (error: unknown) => error,
    )

  it.each(ROWS)(
    'tests that %s are errored as the tests’ fault: %s',
    async (_, language, tests, says, isCertain) => {
      const reference = REFERENCE[language] ?? ''
      const wrong = WRONG[language] ?? ''
      for (const integrity of language === 'rust' ? ['auto'] : ['auto', 'in-process'])
        for (const answer of [reference, wrong]) {
          const error = await thrown(made({ language, tests, reference }), answer, integrity)
          expect(error).toBeInstanceOf(TestsFault)
          expect(String(error)).toMatch(says)
        }
      const alone = made({ language, tests, reference: null })
      const error = await thrown(alone, wrong)
      // Without a reference, only the test source can prove that the tests are at fault.
      if (isCertain) expect(error).toBeInstanceOf(TestsFault)
      else expect(error).toMatch(/^graded: /)
    },
  )

  it.each(SKIPPING)(
    'skipped tests are counted and shown, and are the case’s fault where all are: %s %s%s',
    async (language, runs, skips, isCertain) => {
      const reference = REFERENCE[language] ?? ''
      const one = made({ language, tests: runs + skips, reference })
      for (const integrity of language === 'rust' ? ['auto'] : ['auto', 'in-process']) {
        const output = await graded(one, reference, integrity)
        expect(output).toMatchObject({ passed: true, facts: { passed: 1, failed: 0, skipped: 1 } })
        expect(output.reason).toContain('its test passes, 1 skipped')
        expect(output.details?.[1]?.reason).toContain('1 of 1 test passed, 1 skipped')
        expect(output.evidence).toMatch(/^skipped tests:\n\S*b$/)
        const all = await thrown(made({ language, tests: skips, reference }), reference, integrity)
        expect(all).toBeInstanceOf(TestsFault)
        expect(String(all)).toContain('their only test is skipped')
      }
      const alone = await thrown(made({ language, tests: skips }), reference)
      if (isCertain) expect(alone).toBeInstanceOf(TestsFault)
      else expect(alone).toBe('graded: compiles, and no test was run: 1 skipped')
    },
  )

  it('an answer cannot have its tests skipped', async () => {
    const tests =
      "import * as s from '../solution'\nit.skipIf(s.old)('t', () => { expect(s.f(1)).toBe(2) })"
    for (const reference of [REFERENCE['javascript'] ?? '', null]) {
      const one = made({ language: 'javascript', tests, reference })
      const output = await graded(one, 'export const old = true\nexport const f = (x) => x')
      expect(output).toMatchObject({ passed: false })
    }
  })

  it.each([
    ['python', 'def f(x):\n    return prepare(x)\n', 'def test_f():\n    assert f(1) == 2'],
    ['python', 'def f(x):\n    import nope\n', 'X = f(1)\n\ndef test_f():\n    assert X == 2'],
    [
      'python',
      'def g(x):\n    return x\n',
      'from solution import f\n\ndef test_f():\n    assert f(1) == 2',
    ],
    ['python', 'raise SyntaxError("x")', 'assert f(1) == 2'],
    ['javascript', 'export const f = (x) => prepare(x)', "it('t', () => { expect(f(1)).toBe(2) })"],
    [
      'javascript',
      "export const f = () => { throw new Error('the tests import x, which is not there') }",
      "import { f } from '../solution'\nconst x = f(1)\nit('t', () => { expect(x).toBe(2) })",
    ],
    [
      'javascript',
      'export const g = 1',
      "import * as s from '../solution'\nfor (const name of Object.keys(s)) if (name === 'f') it('t', () => { expect(s.f(1)).toBe(2) })",
    ],
    ...(hasRust
      ? [
          ['rust', 'pub fn g(x: i64) -> i64 { x }', '#[test] fn t() { assert_eq!(f(1), 2); }'],
          [
            'rust',
            '#[macro_export] macro_rules! m { (7) => {} }\npub fn f(x: i64) -> i64 { x }',
            '#[test] fn t() { assert_eq!(m!(1), 2); }',
          ],
        ]
      : []),
  ])(
    'an answer cannot make its own failure the tests’ fault: %s %s',
    async (language, answer, tests) => {
      const reference = tests.includes('m!(1)')
        ? '#[macro_export] macro_rules! m { ($x:expr) => { $x + 1 } }'
        : (REFERENCE[language] ?? '')
      for (const one of [made({ language, tests, reference }), made({ language, tests })]) {
        const output = await graded(one, answer)
        expect(output).toMatchObject({ passed: false })
      }
      expect(await graded(made({ language, tests, reference }), reference)).toMatchObject({
        passed: true,
      })
    },
  )
})
