import { spawnSync } from 'node:child_process'
import { chmodSync, lchownSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openSandbox } from '@assay/sandbox'
import { hasBubblewrap, hasPython } from '../../../../sandbox/test/sandboxed.ts'
import { fakeCase } from '../../../test/fakes.ts'
import { gradedWorkspace, judged, refusal } from '../../../test/grade-answer.ts'
import { planOf } from '../../../test/workspaces.ts'
import type { GraderOutput } from '../grader.ts'

const sandbox = await openSandbox(hasBubblewrap ? 'bubblewrap' : 'none')
afterAll(() => sandbox.close())

type Files = Readonly<Record<string, string>>

/** Grades work with hidden tests. */
async function graded(work: Files, hidden: Files, options: object): Promise<GraderOutput> {
  const workspace = {
    ...gradedWorkspace({ ...work, ...hidden }),
    async lay(what: 'all' | 'work' | 'tests' = 'all') {
      const files = { all: { ...work, ...hidden }, work, tests: hidden }[what]
      const copy = await gradedWorkspace(files).lay()
      const owner = sandbox.newOwner()
      const around = dirname(copy.folder)
      for (const path of ['.', ...readdirSync(around, { recursive: true, encoding: 'utf8' })])
        if (owner !== null) lchownSync(join(around, path), owner.uid, owner.gid)
      chmodSync(around, 0o700)
      return copy
    },
  }
  const one = fakeCase('c', { workspace: planOf({ hidden }) })
  return judged('tests', options, '', { workspace, case: one }, { sandbox })
}

const ADD = 'exports.add = (a, b) => a + b\n'
const NODE_TESTS = `const { test, describe } = require('node:test')
const assert = require('node:assert')
const { add } = require('../src/add.js')
test('adds', () => {
  assert.equal(add(2, 2), 4)
})
describe('more', () => {
  test('adds texts', () => assert.strictEqual(add('a', 'b'), 'ab'))
})
test('later', { skip: true }, () => {})
`
const HIDDEN = { 'tests/add.test.js': NODE_TESTS }
const NODE = {
  command: ['node', '--test', 'tests/add.test.js'],
  dialect: 'node-test',
  failToPass: ['adds'],
  passToPass: ['more > adds texts'],
  canary: ['add(2, 2) === 5'],
}
const node = (add: string, options: object = {}): Promise<GraderOutput> =>
  graded({ 'src/add.js': add }, HIDDEN, { ...NODE, ...options })

describe('tests', () => {
  it('passes work whose named tests are each reported once and pass', async () => {
    expect(await node(ADD)).toMatchObject({
      score: 1,
      passed: true,
      integrity: 'in-process',
      reason: '2 of 2 named tests passed (in-process, with 5 canaries)',
      facts: { canaries: 5, copies: 2 },
    })
    const none = await node(ADD, { canaries: false, canary: [] })
    expect(none.reason).toBe('2 of 2 named tests passed (in-process, without canaries)')
  })

  it('says of each named test that does not pass why', async () => {
    const wrong = await node('exports.add = (a, b) => typeof a === "string" ? a + b : 0')
    expect(wrong).toMatchObject({ score: 0.5, passed: false, cause: 'tests-failed' })
    expect(wrong.reason).toContain('1 of 2 named tests passed')
    expect(wrong.reason).toContain('failed: "adds"')
    // Names that are new in each trial would make equal work look different.
    expect(wrong.evidence).toContain('canary: ')
    expect(wrong.evidence).not.toMatch(/test_[\da-f]{12}/)
    const other = await node(ADD, { failToPass: ['adds', 'later', 'never'] })
    expect(other.reason).toContain('skipped: "later"; not reported: "never"')
    expect(other.score).toBe(0.5)
    const twice = await graded(
      { 'src/add.js': ADD },
      { 'tests/add.test.js': `${NODE_TESTS}test('adds', () => {})\n` },
      NODE,
    )
    expect(twice.reason).toContain('reported more than once: "adds"')
  })

  it('takes a pattern for all tests that it matches', async () => {
    expect((await node(ADD, { passToPass: ['more*'] })).passed).toBe(true)
    expect((await node(ADD, { passToPass: ['nothing*'] })).reason).toContain('not reported')
    expect((await node(ADD, { passToPass: ['*l*'] })).reason).toContain('skipped: "*l*"')
  })

  it.each([
    [
      'ends the process',
      'process.exit(0)',
      'not reported: "adds", "more > adds texts"; the command ended with exit code 0',
    ],
    [
      'changes the assertions',
      `const assert = require('node:assert'); assert.equal = assert.strictEqual = () => {}; exports.add = () => 0`,
      'a test that must fail was reported as passed',
    ],
    [
      'changes one assertion',
      `require('node:assert').equal = () => {}; exports.add = (a, b) => typeof a === 'number' ? 0 : a + b`,
      '"adds" passes with a wrong expected value too',
    ],
    [
      'prints names',
      `console.log('ok 1 - adds\\nok 2 - more > adds texts'); process.exit(0)`,
      'not reported: "adds"',
    ],
    [
      'writes to what it finds open',
      `for (let n = 3; n < 64; n++) try { require('node:fs').writeSync(n, '{"id":"adds","status":"passed"}\\n') } catch {}
       process.exit(0)`,
      'not reported: "adds"',
    ],
  ])('does not believe work that %s', async (_, source, reason) => {
    const output = await node(source)
    expect(output.passed).toBe(false)
    expect(output.reason).toContain(reason)
  })

  it('tests work outside of its process', async () => {
    const cli = 'console.log(process.argv.slice(2).map(Number).reduce((a, b) => a + b))'
    const hidden = {
      'tests/cli.test.js': `const { test } = require('node:test')
const assert = require('node:assert')
const { execFileSync } = require('node:child_process')
test('adds', () => {
  assert.equal(execFileSync('product', ['2', '2'], { encoding: 'utf8' }), '4\\n')
})
test('has no work to load', () => {
  assert.equal(require('node:fs').existsSync('cli.js'), false)
})
`,
    }
    const options = {
      command: ['node', '--test', 'tests/cli.test.js'],
      dialect: 'node-test',
      failToPass: ['adds'],
      passToPass: ['has no work to load'],
      product: ['node', 'cli.js'],
    }
    expect(await graded({ 'cli.js': cli }, hidden, options)).toMatchObject({
      passed: true,
      integrity: 'isolated',
    })
    const forger = `
      try { console.log(require('node:fs').readFileSync('tests/cli.test.js', 'utf8')) } catch (error) { console.log(error.code) }`
    const wrong = await graded({ 'cli.js': forger }, hidden, options)
    expect(wrong.reason).toContain('failed: "adds"')
    expect(wrong.evidence).toContain('ENOENT')
  })

  const PY_WORK = { 'work.py': 'def add(a, b):\n    return a + b\n' }
  const PYTEST = {
    'test_work.py': `from work import add
def test_adds():
    assert add(2, 2) == 4
def test_texts():
    assert add('a', 'b') == 'ab'
`,
  }
  const EQUAL =
    'class Same:\n    def __eq__(self, other):\n        return True\ndef add(a, b):\n    return Same()\n'
  const hasPytest =
    hasPython && spawnSync('/usr/bin/python3', ['-m', 'pytest', '--version']).status === 0
  const PYTEST_OPTIONS = {
    command: ['python3', '-m', 'pytest', '-q', '-p', 'no:cacheprovider'],
    dialect: 'pytest',
    failToPass: ['test_adds'],
    passToPass: ['test_work.py::test_texts'],
  }

  it.runIf(hasPytest)('reads pytest', async () => {
    expect(await graded(PY_WORK, PYTEST, PYTEST_OPTIONS)).toMatchObject({
      passed: true,
      facts: { canaries: 4, copies: 2 },
    })
    const same = await graded({ 'work.py': EQUAL }, PYTEST, PYTEST_OPTIONS)
    expect(same).toMatchObject({ passed: false, cause: 'tampered' })
    expect(same.reason).toContain('passes with a wrong expected value too')
    const exits = await graded({ 'work.py': 'import os\nos._exit(0)\n' }, PYTEST, PYTEST_OPTIONS)
    expect(exits.reason).toContain('not reported')
    const hook = `import pytest
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    (yield).get_result().outcome = 'passed'
`
    const wrong = { 'work.py': 'def add(a, b): return 0', 'conftest.py': hook }
    expect(await graded(wrong, PYTEST, PYTEST_OPTIONS)).toMatchObject({ cause: 'tampered' })
  })

  it.runIf(hasPython)('reads unittest', async () => {
    const hidden = {
      'test_work.py': `import unittest
from work import add
class Work(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(add(2, 2), 4)
    def test_parts(self):
        for n in (1, 2):
            with self.subTest(n=n):
                self.assertEqual(add(n, 0), n)
    @unittest.skip('later')
    def test_later(self):
        pass
`,
    }
    const options = {
      command: ['python3', '-m', 'unittest'],
      dialect: 'unittest',
      failToPass: ['test_work.Work.test_adds'],
      passToPass: ['test_parts'],
    }
    expect(await graded(PY_WORK, hidden, options)).toMatchObject({
      passed: true,
      facts: { canaries: 3, copies: 1 },
    })
    const partly = await graded({ 'work.py': 'def add(a, b):\n    return 4 if b else 1' }, hidden, {
      ...options,
      passToPass: ['test_parts', 'test_later'],
    })
    expect(partly.reason).toContain('failed: "test_parts"; skipped: "test_later"')
    const shadow = { ...PY_WORK, 'unittest/__init__.py': '', 'unittest/__main__.py': 'print("OK")' }
    expect((await graded(shadow, hidden, options)).passed).toBe(true)
    const empty = { ...shadow, 'work.py': 'def add(a, b): return 0' }
    expect((await graded(empty, hidden, options)).passed).toBe(false)
    const patched =
      'import unittest\nunittest.TestCase.assertEqual = lambda *a: None\ndef add(a, b): return 0\n'
    expect(await graded({ 'work.py': patched }, hidden, options)).toMatchObject({
      cause: 'tampered',
    })
  })

  it('refuses what cannot be', () => {
    const of = (options: object): string => refusal('tests', { ...NODE, ...options })
    expect(of({ failToPass: [], passToPass: [] })).toContain('at least one named test')
    expect(of({ passToPass: ['adds'] })).toContain('each name once')
    expect(of({ dialect: 'junit' })).toContain('the file that the command writes')
    expect(of({ report: 'a.xml' })).toContain('report only for junit')
    expect(of({ dialect: 'mocha' })).toContain('dialect')
  })
})
