/**
 * Tests that do nothing are found from the case alone, without an answer. The tests cover: TypeScript, JavaScript,
 * Python and Rust; every form of tests that a language has (unittest, pytest, plain asserts, scripts, `check`,
 * node:test, vitest and jest, globals, node:assert, console.assert, `#[test]`, `main`); a case with a reference,
 * with a broken reference, and without one; both levels of integrity. Reading the test source (`lookAtTests`) must
 * never report idle tests as active.
 */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Case, Suite } from '@assay/contract'
import { suiteFolder } from '../../assay/test/suite-folder.ts'
import { inspectSandbox, openSandbox, type Sandbox } from '@assay/sandbox'
import { loadSuite } from '../../assay/src/suite/index.ts'
import { closeGraders, graders } from '../../assay/src/grade/index.ts'
import { lookAtTests, runTests, type TestFinding } from './check-tests.ts'

const isReady = (await inspectSandbox()).ready

type Kind = TestFinding['kind'] | null
type Row = readonly [tests: string, kind: Kind]

const REFERENCES: Readonly<Record<string, string>> = {
  python:
    'LIMIT = 3\n\ndef f(x):\n    return x + 1\n\nclass Box:\n    def __init__(self, x):\n        self.x = x\n',
  javascript:
    'const LIMIT = 3\nconst f = (x) => x + 1\nclass Box { constructor(x) { this.x = x } }\n',
  typescript:
    'export const LIMIT = 3\nexport const f = (x: number): number => x + 1\nexport class Box { constructor(readonly x: number) {} }\n',
}

const PYTHON: readonly Row[] = [
  ['assert f(1) == 2', null],
  ['def test_f():\n    assert f(1) == 2', null],
  ['import pytest\n\ndef test_f():\n    with pytest.raises(TypeError):\n        f("a")', null],
  [
    'import unittest\nfrom solution import f\n\nclass FTest(unittest.TestCase):\n    def test_f(self):\n        self.assertEqual(f(1), 2)',
    null,
  ],
  ['class TestF:\n    def test_f(self):\n        assert f(1) == 2', null],
  ['def check(g):\n    assert g(1) == 2\n\ncheck(f)', null],
  ['for x in range(3):\n    assert f(x) == x + 1', null],
  ['if f(1) != 2:\n    raise ValueError("no")', 'asserts-nothing'],
  ['print(f(1))', 'asserts-nothing'],
  ['def test_f():\n    f(1)', 'asserts-nothing'],
  ['if LIMIT != 3:\n    raise ValueError("no")', 'asserts-nothing'],
  ['box = Box(1)\nbox.x', 'asserts-nothing'],
  ['assert True', 'calls-nothing'],
  ['from solution import f\n\ndef test_f():\n    assert callable(f)', 'calls-nothing'],
  ['import math\n\ndef test_f():\n    assert math.sqrt(4) == 2', 'calls-nothing'],
  ['print("assert f(1) == 2")', 'idle'],
  ['"""\nassert f(1) == 2\n"""\nprint(1)', 'idle'],
  ['def helper():\n    assert f(1) == 2\n\nprint(1)', 'idle'],
  ['def check(g):\n    assert g(1) == 2', 'idle'],
  ['from solution import f\n\ndef helper():\n    assert f(1) == 2', 'idle'],
  ['def test_f():\n    pass', 'idle'],
  ['def test_f():\n    return\n    assert f(1) == 2', 'idle'],
  ['import pytest\n\n@pytest.mark.skip\ndef test_f():\n    assert f(1) == 2', 'at-fault'],
  [
    'import unittest\n\nclass FTest(unittest.TestCase):\n    def helper(self):\n        self.assertEqual(f(1), 2)\n\n    def test_f(self):\n        pass',
    'idle',
  ],
  ['if False:\n    assert f(1) == 2', 'idle'],
]

const SCRIPTS: readonly Row[] = [
  ['console.assert(f(1) === 2)', null],
  ["import assert from 'node:assert'; assert.equal(f(1), 2)", null],
  ["const assert = require('assert'); const run = () => { assert(f(1) === 2) }; run()", null],
  [
    "import { test } from 'node:test'; import assert from 'node:assert/strict'; import { f } from './solution'; test('t', () => { assert.equal(f(1), 2) })",
    null,
  ],
  [
    "import { expect, it } from 'vitest'; import { f } from './solution'; it('t', () => { expect(f(1)).toBe(2) })",
    null,
  ],
  [
    "describe('s', () => { it('t', async () => { await expect(Promise.resolve(f(1))).resolves.toBe(2) }) })",
    null,
  ],
  [
    "import * as solution from './solution'; it('t', () => { expect(solution.f(1)).toBe(2) })",
    null,
  ],
  [
    "import { Box } from './solution'; import assert from 'node:assert'; const box = new Box(1)\nfor (const one of [1]) { assert.equal(box.x, one) }",
    null,
  ],
  ['if (f(1) !== 2) throw new Error("no")', 'asserts-nothing'],
  ['console.log(f(1))', 'asserts-nothing'],
  ["it('t', () => { f(1) })", 'asserts-nothing'],
  ["import { LIMIT } from './solution'; if (LIMIT !== 3) throw new Error('no')", 'asserts-nothing'],
  ["it('t', () => { expect(f(1)) })", 'asserts-nothing'],
  ['console.assert(true)', 'calls-nothing'],
  [
    "import { f } from './solution'; it('t', () => { expect(typeof f).toBe('function') })",
    'calls-nothing',
  ],
  ["console.log('console.assert(f(1) === 2)')", 'idle'],
  ['/* console.assert(f(1) === 2) */ 1 + 1', 'idle'],
  ['const run = () => { console.assert(f(1) === 2) }\n1 + 1', 'idle'],
  ['const run = () => console.assert(f(1) === 2)\n1 + 1', 'idle'],
  ["import { f } from './solution'", 'idle'],
  ["it('t', () => {})", 'idle'],
  ["it.skip('t', () => { expect(f(1)).toBe(2) })", 'at-fault'],
  ["it('t', { skip: true }, () => { expect(f(1)).toBe(2) })", 'at-fault'],
  ["it('t', () => { return; expect(f(1)).toBe(2) })", 'idle'],
  ["it('t', () => { if (false) expect(f(1)).toBe(2) })", 'idle'],
  ["it('t', () => { const check = () => { expect(f(1)).toBe(2) } })", 'idle'],
  ["describe('s', () => { function check() { expect(f(1)).toBe(2) }\nit('t', () => {}) })", 'idle'],
  ['setTimeout(() => { console.assert(f(1) === 2) }, 10_000)', 'idle'],
  ['false && console.assert(f(1) === 2)', 'idle'],
]

const RUST: readonly Row[] = [
  ['#[test] fn t() { assert_eq!(f(1), 2); }', null],
  ['mod tests { use super::*; #[test] fn t() { assert!(f(1) == 2, "no"); } }', null],
  ['#[test] #[should_panic] fn t() { f(0); }', null],
  ['#[test] fn t() -> Result<(), String> { check()?; Ok(()) }', null],
  ['fn check(x: i64) { assert_eq!(f(x), x + 1) } #[test] fn t() { check(1) }', null],
  ['fn main() { let candidate = f; assert_eq!(candidate(1), 2); }', null],
  ['#[test] fn t() { f(1); }', null],
  ['#[test] fn t() { let b = Box2::new(1); b.get(); }', null],
  ['#[test] fn t() {}', 'idle'],
  ['#[test] fn t() { println!("{}", 1); }', 'idle'],
  ['fn check(x: i64) { assert_eq!(f(x), x + 1) } #[test] fn t() {}', 'idle'],
  ['fn check(x: i64) { assert_eq!(f(x), x + 1) }', 'idle'],
  ['#[test] #[ignore] fn t() { assert_eq!(f(1), 2); }', 'idle'],
  ['#[test] fn t() { let text = "assert_eq!(f(1), 2)"; }', 'idle'],
  ['// #[test] fn t() { assert_eq!(f(1), 2); }\nfn main() {}', 'idle'],
]

async function suiteOf(given: readonly object[]): Promise<Suite> {
  const cases = given.map((one, index) => ({ id: String(index), prompt: 'p', ...one }))
  const folder = await suiteFolder({ 's.json': JSON.stringify({ id: 's', cases }) })
  return (await loadSuite(join(folder, 's.json'), { graders })).suite
}

const casesOf = (language: string, rows: readonly Row[], over: object = {}): object[] =>
  rows.map(([tests]) => ({ language, tests, ...over }))

describe('a look at tests', () => {
  it.each([
    ['python', PYTHON],
    ['javascript', SCRIPTS],
    ['typescript', SCRIPTS],
    ['rust', RUST],
  ] as const)('never calls %s tests active that are not', async (language, rows) => {
    const suite = await suiteOf(casesOf(language, rows))
    const { findings, unclear } = lookAtTests([suite])
    const told = new Set<Case>([
      ...findings.map((one) => one.case),
      ...unclear.flatMap(({ cases }) => cases),
    ])
    const active = suite.cases.filter((one) => !told.has(one)).map(({ id }) => rows[Number(id)])
    expect(active.filter((row) => row?.[1] !== null)).toEqual([])
    // Most active tests are recognized from their source alone, without running them.
    const most = rows.filter(([, kind]) => kind === null).length
    expect(active.length).toBeGreaterThanOrEqual(most - 3)
  })

  it('decides for Rust', async () => {
    const suite = await suiteOf(casesOf('rust', RUST))
    const { findings, unclear } = lookAtTests([suite])
    expect(unclear).toEqual([])
    const idle = new Set(findings.map((one) => one.case.id))
    expect(RUST.map((row, index) => [row[0], idle.has(String(index)) ? 'idle' : null])).toEqual(
      RUST,
    )
  })

  it('leaves alone what has no tests to look at', async () => {
    const suite = await suiteOf([
      { language: 'python', tests: ' \n' },
      { language: 'python', entryPoint: 'f', calls: [{ args: [1], returns: 2 }] },
      { language: 'python', tests: 'print(1)', expectations: { shouldPassTests: false } },
      { language: 'python', tests: 'print(1)', expectations: { shouldCompile: false } },
      { graders: [{ type: 'equals', value: 'x' }] },
    ])
    expect(lookAtTests([suite])).toEqual({ findings: [], unclear: [] })
  })
})

describe.skipIf(!isReady)('running tests to see what they do', () => {
  let sandbox: Sandbox
  beforeAll(async () => {
    sandbox = await openSandbox('auto')
  })
  afterAll(async () => {
    await closeGraders()
    await sandbox.close()
  })

  async function kindsOf(cases: readonly object[]): Promise<Kind[]> {
    const suite = await suiteOf(cases)
    const found = await runTests([suite], {
      sandbox,
      folderOf: () => '.',
      timeoutMs: 5000,
      signal: new AbortController().signal,
    })
    const kinds = new Map(found.map((one) => [one.case.id, one.kind]))
    return suite.cases.map(({ id }) => kinds.get(id) ?? null)
  }

  const paired = (rows: readonly Row[], kinds: readonly Kind[]): Row[] =>
    rows.map(([tests], index) => [tests, kinds[index] ?? null])

  it.each([
    ['python', PYTHON],
    ['javascript', SCRIPTS],
    ['typescript', SCRIPTS],
  ] as const)('counts assertions and calls of %s, with the reference', async (language, rows) => {
    const reference = REFERENCES[language]
    expect(paired(rows, await kindsOf(casesOf(language, rows, { reference })))).toEqual(rows)
    const inProcess = { reference, graders: [{ type: 'code', integrity: 'in-process' }] }
    expect(paired(rows, await kindsOf(casesOf(language, rows, inProcess)))).toEqual(rows)
  })

  it.each([
    ['python', PYTHON, 'def f(x) return'],
    ['javascript', SCRIPTS, 'const f = ('],
    ['typescript', SCRIPTS, 'export const f: string = 1'],
  ] as const)(
    'finds the same in %s without a reference, or with a broken one',
    async (language, rows, broken) => {
      const idle = rows.map(([tests, kind]): Row => [tests, kind === 'idle' ? kind : null])
      for (const over of [{}, { reference: broken }]) {
        const kinds = await kindsOf(casesOf(language, rows, over))
        const found = paired(
          rows,
          kinds.map((kind) => (kind === 'idle' ? kind : null)),
        )
        expect(found).toEqual(idle)
      }
    },
  )

  it('warns where most Rust tests are ignored, and runs them where the case says so', async () => {
    const reference = 'pub fn f(x: i32) -> i32 { x + 1 }'
    const tests =
      'use track::f;\n#[test] fn a() { assert_eq!(f(1), 2); }\n#[test] #[ignore] fn b() { assert_eq!(f(2), 3); }\n#[test] #[ignore] fn c() { assert_eq!(f(3), 4); }'
    const one = { id: 'track', language: 'rust', reference, tests }
    const suite = await suiteOf([one])
    expect(lookAtTests([suite]).unclear).toHaveLength(1)
    const checking = {
      sandbox,
      folderOf: (): string => '.',
      timeoutMs: 5000,
      signal: new AbortController().signal,
    }
    expect(await runTests([suite], checking)).toMatchObject([
      {
        kind: 'mostly-skipped',
        text: '2 of the 3 tests are skipped (includeIgnored = true runs them): an answer is graded by one test',
      },
    ])
    expect(await runTests([await suiteOf([{ ...one, includeIgnored: true }])], checking)).toEqual(
      [],
    )
  })

  it('says nothing about tests that never end or that fail, and that some are at fault', async () => {
    const short = { graders: [{ type: 'code', timeout: '300ms' }] }
    expect(
      await kindsOf([
        { language: 'python', tests: 'def (' },
        { language: 'javascript', tests: 'const = ' },
        {
          language: 'python',
          tests: 'while True:\n    f(1)',
          reference: REFERENCES['python'],
          ...short,
        },
        { language: 'javascript', tests: 'while (f(1)) {}', ...short },
        { language: 'python', tests: 'raise ValueError("x")', reference: REFERENCES['python'] },
        { language: 'javascript', tests: 'missing()', reference: REFERENCES['javascript'] },
      ]),
    ).toEqual(['at-fault', 'at-fault', null, null, null, 'at-fault'])
  })

  it('finds whose fault it is with the reference, and without one only where the source shows it', async () => {
    const python = { language: 'python', reference: REFERENCES['python'] }
    const rows = [
      { tests: 'import nose2\nassert f(1) == 2' },
      { tests: 'import helpers_of_mine\nfrom solution import f\nassert f(1) == 2' },
      { tests: 'def test_f():\n    assert prepare(f)(1) == 2' },
    ]
    expect(await kindsOf(rows.map((one) => ({ ...python, ...one })))).toEqual([
      'at-fault',
      'at-fault',
      'at-fault',
    ])
    expect(await kindsOf(rows.map((one) => ({ language: 'python', ...one })))).toEqual([
      'at-fault',
      'at-fault',
      null,
    ])
  })
})
