/**
 * Integrity `auto` chooses whether tests run isolated from the solution or in its process. Only the case's reference
 * solution decides this, never an answer. Every grade whose tests ran in-process says so.
 *
 * The tests also cover: answers that pass or fail isolated, in a case whose reference passes only in-process and in
 * a case whose reference passes isolated; cases without a reference; an integrity set by the suite; Rust.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Case } from '@assay/contract'
import { openSandbox, type Sandbox } from '@assay/sandbox'
import { fakeCase } from '../../assay/test/fakes.ts'
import { judged } from '../../assay/test/grade-answer.ts'
import { isPythonReady } from '../test/try-python.ts'
import type { GraderOutput } from '../../assay/src/grade/grader.ts'
import { closeTools } from './open-tools.ts'

const LIAR =
  'class Liar(int):\n    __eq__ = lambda self, other: True\n    __hash__ = int.__hash__\ndef inc(x):\n    return Liar(0)\n'
const PICKLING =
  'import pickle\nfrom solution import inc, Box\n\ndef test_inc():\n    assert pickle.loads(pickle.dumps(Box(inc(1)))).n == 2\n    assert inc(2) == 3\n'
const BOX = 'class Box:\n    def __init__(self, n):\n        self.n = n\n'
const RIGHT = `${BOX}def inc(x):\n    return x + 1\n`

describe.skipIf(!(await isPythonReady()))('integrity auto', () => {
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
    fakeCase('c', { hash: `auto-${++cases}`, language: 'python', lint: 'off', ...change })
  const graded = (one: Case, answer: string, integrity = 'auto'): Promise<GraderOutput> =>
    judged('code', { integrity }, answer, { case: one }, { sandbox })
  const SAID = /tests in the process of the code: the reference passes only there/

  it('runs tests that pickle in the process of the code, says so, and believes no equality there', async () => {
    const one = made({ tests: PICKLING, reference: RIGHT })
    const right = await graded(one, RIGHT.replace('x + 1', '1 + x'))
    expect(right).toMatchObject({ passed: true, integrity: 'in-process' })
    expect(right.reason).toMatch(SAID)
    expect(right.details?.find(({ name }) => name === 'tests')?.reason).toMatch(SAID)
    for (const answer of [`${BOX}${LIAR}`, RIGHT.replace('x + 1', 'x'), BOX]) {
      const wrong = await graded(one, answer)
      expect(wrong).toMatchObject({ passed: false, integrity: 'in-process' })
      expect(wrong.reason).toMatch(SAID)
    }
  })

  it('is not decided by an answer', async () => {
    const one = made({
      tests: 'assert inc(1) == 2\n',
      reference: 'def inc(x):\n    return x + 1\n',
    })
    // These answers would pass if an answer could decide the integrity, or if it ran in the process of the tests.
    for (const answer of [LIAR, 'import pickle, sys\ndef inc(x):\n    return sys._getframe(1)\n']) {
      const wrong = await graded(one, answer)
      expect(wrong).toMatchObject({ passed: false, integrity: 'isolated' })
      expect(wrong.reason).not.toMatch(SAID)
    }
    const unknown = made({ tests: PICKLING, reference: null })
    expect(await graded(unknown, RIGHT)).toMatchObject({ passed: false, integrity: 'isolated' })
  })

  it('is not spoken of where it was asked for', async () => {
    const one = made({ tests: PICKLING, reference: RIGHT })
    const right = await graded(one, RIGHT, 'in-process')
    expect(right).toMatchObject({ passed: true, integrity: 'in-process' })
    expect(right.reason).not.toMatch(SAID)
    expect(await graded(one, RIGHT, 'isolated')).toMatchObject({ passed: false })
  })
})
