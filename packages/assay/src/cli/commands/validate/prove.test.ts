/**
 * `validate --prove` with faulty answers that Assay generates. The tests cover every language; solutions that
 * export functions, classes, values or a default; tests with imports and without; cases with calls instead of
 * tests; a reference with lint warnings; the flags.
 */
import path from 'node:path'
import pico from 'picocolors'
import { describe, expect, it } from 'vitest'
import { inspectSandbox } from '@assay/sandbox'
import { suiteFolder } from '../../../../test/suite-folder.ts'
import { validateCommand, type ValidateOptions } from './validate.ts'

const isReady = (await inspectSandbox()).ready

async function prove(cases: readonly object[], flags: Partial<ValidateOptions> = {}) {
  const suite = { id: 's', cases: cases.map((one, at) => ({ id: `c${at}`, prompt: 'p', ...one })) }
  const folder = await suiteFolder({ 's.json': JSON.stringify(suite) })
  let out = ''
  let err = ''
  const code = await validateCommand(
    { paths: [path.join(folder, 's.json')], prove: true, ...flags },
    {
      out: (text) => (out += text),
      err: (text) => (err += text),
      colors: pico.createColors(false),
    },
  )
  return { code, lines: out.split('\n').map((line) => line.trim()), err }
}

describe.skipIf(!isReady)('--prove', () => {
  it('does not count a case whose workspace could not be made among those where doing nothing fails', async () => {
    const graders = [{ type: 'file-contains', path: 'a.txt', value: '1' }]
    const { code, lines } = await prove(
      [
        { graders, workspace: {}, files: { 'a.txt': 'one' } },
        { graders, workspace: { setup: ['exit 3'] } },
      ],
      { trust: true },
    )
    expect(code).toBe(2)
    expect(lines).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^c1: could not be graded where nothing was done: .*exit code 3/),
        'doing nothing passes 0 of 1 case with a workspace',
        '1 case with a workspace could not be graded where nothing was done',
      ]),
    )
  })

  it('makes its own faulty answers, and says which one passes', async () => {
    const { code, lines, err } = await prove([
      {
        language: 'python',
        reference: 'def f(x):\n    x.append(1)\n',
        tests: 'def test_f():\n    assert f([]) is None\n',
      },
      {
        language: 'javascript',
        reference: 'export const zero = () => 0',
        tests: "import { zero } from './solution'\nit('t', () => { expect(zero(5)).toBe(0) })",
      },
      {
        language: 'typescript',
        reference:
          'export default function f(x: number): number { if (x > 1) throw new Error("x"); return x }',
        tests: "import f from './solution'\nit('t', () => { expect(() => f(2)).toThrow() })",
      },
      {
        language: 'python',
        reference: 'def f(x):\n    return x + 1\n',
        tests: 'def test_f():\n    assert f\n    assert 1 + 1 == 2\n',
      },
      {
        language: 'rust',
        reference:
          'pub struct Box2(i64);\nimpl Box2 { pub fn new(x: i64) -> Self { Box2(x) } pub fn sum(&self, y: i64) -> i64 { self.0 + y } }\npub fn f(x: i64) -> i64 { x * 2 }',
        tests: '#[test] fn t() { assert_eq!(f(0), 0); }',
      },
      {
        language: 'rust',
        reference: 'pub fn f(x: i64) -> i64 { x * 2 }',
        tests: '#[test] fn t() { assert_eq!(f(1), 2); }',
      },
    ])
    expect(code).toBe(2)
    expect(lines).toEqual(
      expect.arrayContaining([
        'c0: a program that returns nothing passes',
        'c1: a program that returns a constant passes',
        'c2: a program that only throws passes',
        'c3: a program that returns nothing passes',
        'c3: a program that returns a constant passes',
        'c3: a program that only throws passes',
        'c4: a program that returns a constant passes',
      ]),
    )
    expect(lines.filter((line) => line.startsWith('c5'))).toEqual([])
    expect(err).toContain('not proven')
  })

  it('is content with cases that tell', async () => {
    const { code, lines } = await prove([
      {
        language: 'python',
        reference:
          'LIMIT = 3\n\nclass Stack:\n    def __init__(self):\n        self.all = []\n\n    def push(self, x):\n        self.all.append(x)\n        return len(self.all)\n',
        faulty: ['class Stack:\n    pass\n'],
        tests:
          'from solution import LIMIT, Stack\n\ndef test_f():\n    assert Stack().push(LIMIT) == 1\n',
      },
      {
        language: 'typescript',
        entryPoint: 'f',
        reference: 'export const f = (x: number): number => x + 1',
        calls: [{ args: [1], returns: 2 }],
      },
    ])
    expect(lines).toContain('8 of 8 faulty answers that Assay made itself fail')
    expect(code).toBe(0)
  })

  it('does not call a long line of the reference not proven, and says that it warns', async () => {
    const { code, lines } = await prove([
      {
        language: 'python',
        reference: 'import os\n\n\ndef f(x):\n    return x + 1\n',
        tests: 'def test_f():\n    assert f(1) == 2\n',
      },
    ])
    expect(code).toBe(0)
    expect(lines[1]).toMatch(/^c0: the reference passes with 1 lint warning: compiles/)
    expect(lines).toContain('1 of 1 reference passes, 0 of 0 faulty answers fail')
  })

  it('takes --grade-timeout and --parallelism', async () => {
    const slow = {
      language: 'python',
      reference: 'def f(x):\n    for _ in range(10**10):\n        pass\n    return x + 1\n',
      tests: 'def test_f():\n    assert f(1) == 2\n',
    }
    const { code, lines } = await prove([slow], { gradeTimeout: '200ms', parallelism: 1 })
    expect(code).toBe(2)
    expect(lines[1]).toMatch(/^c0: the reference scores 0\.5: code: the code (?:used|did not end)/)
    await expect(prove([slow], { gradeTimeout: 'soon' })).rejects.toThrow('--grade-timeout takes')
  })
})
