/**
 * Time limits. A solution that only waits is ended once it has used no CPU time for the case's timeout. A solution that
 * exceeds its time while others are graded is graded once more, alone. These tests measure no time: the text of the
 * fault shows which limit ended the solution.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inspectSandbox, openSandbox, type Sandbox } from '@assay/sandbox'
import { fakeCase } from '../../../assay/test/fakes.ts'
import { judged } from '../../../assay/test/grade-answer.ts'
import { isPythonReady } from '../../test/try-python.ts'
import { assessFairly } from './alone.ts'
import { rust } from '../languages/rust/rust.ts'
import type { CodeReport, CodeWork, Fault } from '../language.ts'
import { closeTools } from '../open-tools.ts'

const isReady = (await inspectSandbox()).ready && (await isPythonReady())
const hasRust = (await rust.inspect()).every(({ version }) => version !== null)

const report = (fault: Fault | null): CodeReport => ({
  compiled: true,
  errors: [],
  notes: [],
  tests: [{ name: 't', passed: fault === null }],
  warnings: null,
  defined: null,
  fault,
})
/** The control program is never run in these tests, because none of their faults looks like a shortage of resources. */
const NO_CONTROL = { main: 'solution', control: { solution: '', tests: '' } }
const SLOW: Fault = { kind: 'timeout', text: 'slow' }

describe('a solution that runs out of time', () => {
  /**
   * Grades several solutions at the same time. Each solution has a plan: the list of faults that its gradings
   * report, one after the other. The result has the final fault of each solution. `company` has, for each repeated
   * grading, how many gradings were running when it started and when it ended.
   */
  async function together(...plans: readonly (readonly (Fault | null)[])[]) {
    const company: number[] = []
    let running = 0
    const graded = plans.map(async (plan, index) => {
      let turn = 0
      const assess = async (): Promise<CodeReport> => {
        running++
        if (turn > 0) company.push(running)
        await new Promise((resolve) => setTimeout(resolve, 20 + 10 * index))
        if (turn > 0) company.push(running)
        running--
        const fault = plan[turn++]
        if (fault === undefined) throw new Error('graded too often')
        return report(fault)
      }
      const { fault } = await assessFairly({ assess }, {} as CodeWork, NO_CONTROL, () => () => null)
      return fault
    })
    return { faults: await Promise.all(graded), company }
  }

  it('in company is graded once more, alone, and that decides', async () => {
    const { faults, company } = await together([SLOW, null], [null], [SLOW, SLOW], [null])
    expect(faults).toEqual([null, null, SLOW, null])
    expect(company).toEqual([1, 1, 1, 1])
  })

  it('alone has failed', async () => {
    expect(await together([SLOW])).toEqual({ faults: [SLOW], company: [] })
  })

  it('is not graded again where it only waited, or failed for something else', async () => {
    const idle: Fault = { ...SLOW, idle: true }
    const output: Fault = { kind: 'output', text: 'o' }
    const { faults } = await together([idle], [output], [null])
    expect(faults).toEqual([idle, output, null])
  })
})

describe.skipIf(!isReady)('a solution that only waits', () => {
  let sandbox: Sandbox
  beforeAll(async () => {
    sandbox = await openSandbox('auto')
  })
  afterAll(async () => {
    await closeTools()
    await sandbox.close()
  })

  it.each([
    [
      'javascript',
      'export const f = () => new Promise(() => {})',
      "it('t', async () => { expect(await f()).toBe(1) })",
    ],
    [
      'typescript',
      'export function f(): number { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); return 1 }',
      "it('t', () => { expect(f()).toBe(1) })",
    ],
    ['python', 'import time\ndef f():\n    time.sleep(100)\n', 'assert f() == 1'],
    [
      'python',
      'import threading\ndef f():\n    threading.Event().wait()\n',
      'def test_f():\n    assert f() == 1',
    ],
    ...(hasRust
      ? [
          [
            'rust',
            'pub fn f() -> i32 { std::thread::sleep(std::time::Duration::from_secs(100)); 1 }',
            '#[test] fn t() { assert_eq!(f(), 1); }',
          ] as const,
        ]
      : []),
  ] as const)('is ended without use of the processor: %s %s', async (language, answer, tests) => {
    const one = fakeCase('c', { hash: `idle ${language} ${answer}`, language, tests, lint: 'off' })
    for (const integrity of language === 'rust' ? ['auto'] : ['isolated', 'in-process']) {
      const output = await judged(
        'code',
        { timeout: '600ms', integrity },
        answer,
        { case: one },
        { sandbox },
      )
      expect([output.passed, output.cause, output.reason]).toEqual([
        false,
        'code-timeout',
        expect.stringMatching(
          /the code only waited: (?:it used no processor for 0\.6 s|nothing was left to run)/,
        ),
      ])
    }
  })

  it('is left alone while it works, or waits for less', async () => {
    const one = fakeCase('c', {
      hash: 'busy',
      language: 'python',
      lint: 'off',
      tests: 'assert f() == 1',
    })
    // It waits for 2.5 s in all, which is longer than the limit for waiting, and each time for much less. It works for
    // so short that a machine which works on five other things too does not make it exceed its 8 s on the clock.
    const busy =
      'import time\ndef f():\n    for _ in range(10):\n        time.sleep(0.25)\n        end = time.process_time() + 0.04\n        while time.process_time() < end:\n            pass\n    return 1\n'
    const output = await judged('code', { timeout: '2s' }, busy, { case: one }, { sandbox })
    expect(output).toMatchObject({ passed: true })
  })
})
