/**
 * A failed `console.assert` in a test fails the test. The tests cover: a plain script, a registered test, a hook, a
 * callback that the solution calls, a failed assertion that the test catches, `node:console` and `globalThis`, each
 * at the levels isolated and in-process. In the solution's own code, `console.assert` behaves as in Node.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  failures,
  isSandboxReady,
  openBench,
  outcomes,
  type Bench,
} from '../../../../test/try-typescript.ts'
import { javascript } from '../typescript.ts'

const isReady = await isSandboxReady()
const RIGHT = 'const f = (x) => x + 1\nconst each = (list, call) => list.forEach(call)'
const WRONG =
  'const f = (x) => x\nconst each = (list, call) => list.forEach((one) => { try { call(one) } catch {} })'

describe.skipIf(!isReady)('console.assert in tests', () => {
  let bench: Bench
  beforeAll(async () => {
    bench = await openBench(javascript)
  })
  afterAll(() => bench.close())

  describe.each(['isolated', 'in-process'] as const)('at the level %s', (integrity) => {
    it.each([
      ['a script', 'console.assert(f(1) === 2)'],
      [
        'a function that the script calls',
        'const testF = () => {\n  console.assert(f(1) === 2)\n}\n\ntestF()',
      ],
      ['a script that catches', 'try { console.assert(f(1) === 2) } catch {}'],
      [
        'a registered test',
        "import { test } from 'node:test'; test('t', () => { console.assert(f(1) === 2) })",
      ],
      [
        'a registered test that catches',
        "it('t', () => { try { console.assert(f(1) === 2) } catch {} })",
      ],
      ['a hook', "beforeEach(() => { console.assert(f(1) === 2) }); it('t', () => {})"],
      [
        'a suite’s body',
        "import { f } from './solution'; describe('s', () => { console.assert(f(1) === 2); it('t', () => {}) })",
      ],
      ['a callback that the sample calls', 'each([1], (one) => console.assert(f(one) === 2))'],
      ['node:console', "import { assert } from 'node:console'; assert(f(1) === 2)"],
      ['a console that is required', "require('console').assert(f(1) === 2)"],
      ['a condition that is no boolean', 'console.assert(f(1) - 1)'],
    ])('%s', async (_, tests) => {
      const wrong = tests.includes('- 1)') ? 'const f = (x) => x' : WRONG
      const right = await bench.run(RIGHT, tests, { integrity })
      expect(failures(right)).toEqual({})
      expect(right.tests).not.toEqual([])
      expect(failures(await bench.run(wrong, tests, { integrity }))).not.toEqual({})
    })

    it('says what was asserted', async () => {
      const tests = "console.assert(f(1) === 2, 'f(%d) is', 1, { got: f(1) })"
      expect(outcomes(await bench.run(WRONG, tests, { integrity }))).toEqual({
        script: 'console.assert: f(1) is { got: 1 }',
      })
      expect(outcomes(await bench.run(WRONG, 'console.assert(f(1) === 2)', { integrity }))).toEqual(
        {
          script: 'console.assert: the condition is false',
        },
      )
    })

    it('leaves the sample’s own as it is, and does not believe one that the sample put there', async () => {
      const own = 'const f = (x) => { console.assert(false, "mine"); return x + 1 }'
      const tests = 'console.assert(f(1) === 2)'
      expect(failures(await bench.run(own, tests, { integrity }))).toEqual({})
      const patched = 'console.assert = () => {}; const f = (x) => x'
      expect(failures(await bench.run(patched, tests, { integrity }))).not.toEqual({})
    })

    it('is not carried over to the next sample’s tests', async () => {
      const replaced =
        'console.assert = () => {}; console.log = () => {}; console.assert(f(1) === 2)'
      expect(failures(await bench.run(WRONG, replaced, { integrity }))).toEqual({})
      const tests = 'console.assert(f(1) === 2)'
      expect(failures(await bench.run(WRONG, tests, { integrity }))).not.toEqual({})
    })
  })

  it('asserts by way of globalThis where the tests are apart', async () => {
    const tests = 'globalThis.console.assert(f(1) === 2)'
    expect(failures(await bench.run(RIGHT, tests))).toEqual({})
    expect(failures(await bench.run(WRONG, tests))).not.toEqual({})
  })
})
