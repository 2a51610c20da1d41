/**
 * Tests grading on a machine that runs out of processes, because Assay may have only 45. A right answer must not fail
 * because of that. An answer that uses up the processes itself must fail. These are the smallest such tests.
 * `shortage.long.test.ts` tests every language, and memory. A control group simulates the machine, so these tests
 * need root and control groups of version 1.
 */
import { describe, expect, it } from 'vitest'
import { inspectSandbox } from '@assay/sandbox'
import { rust } from '../../packages/code/src/languages/rust/rust.ts'
import { codeHogs, rightCode, rightRun, runHogs } from './gradings.ts'
import { canStarve, gradeStarved } from './starved.ts'

const isReady = canStarve && (await inspectSandbox()).ready
const hasRust = (await rust.inspect()).every(({ version }) => version !== null)

describe.runIf(isReady)('with 45 processes', () => {
  it.runIf(hasRust)('right Rust solutions pass', async () => {
    const graded = await gradeStarved({ processes: 45 }, rightCode('rust', 6))
    expect(graded.map(({ outcome }) => outcome)).toEqual(Array(6).fill('passed'))
  })

  it('right work passes the `run` grader', async () => {
    const graded = await gradeStarved({ processes: 45 }, rightRun(6))
    expect(graded.map(({ outcome, text }) => `${outcome} ${text}`)).toEqual(
      Array.from({ length: 6 }, () => expect.stringMatching(/^passed /) as string),
    )
    // Some answers must have been graded twice. Otherwise there was no shortage and the test shows nothing.
    expect(graded.filter(({ text }) => text.includes('graded again, alone'))).not.toEqual([])
  })

  it('a fork bomb has failed, and is not an error', async () => {
    const [bomb] = runHogs()
    const [threads] = codeHogs(['python'])
    if (bomb === undefined || threads === undefined) throw new Error('there is no bomb')
    const graded = await gradeStarved({ processes: 45 }, [bomb, threads])
    expect(graded.map(({ outcome }) => outcome)).toEqual(['failed', 'failed'])
  })
})
