import { describe, expect, it } from 'vitest'
import { reportOf, trialOf } from '../../../test/report-of.ts'
import type { ReasonCode, Trial } from '@assay/contract'
import { reasonLines } from './reasons.ts'

const trial = (index: number, outcome: Trial['outcome'], code?: ReasonCode, text = ''): Trial =>
  trialOf({ index, outcome, ...(code === undefined ? {} : { reason: { code, text } }) })

const reported = (trials: readonly Trial[]) =>
  reportOf([{ id: 's', cases: [{ id: 'c', trials: 5 }] }], [{ id: 'x' }], trials)

describe('reasons', () => {
  it('are counted by subject, most first, with the first text by identity', () => {
    const trials = [
      trial(2, 'errored', 'rate-limited', 'late'),
      trial(1, 'errored', 'rate-limited', 'early'),
      trial(0, 'failed', 'exit-code', 'exit code 3'),
      trial(3, 'failed', 'wrong-answer', 'equals: no'),
      trial(4, 'passed'),
    ]
    for (const order of [trials, trials.toReversed()])
      expect(reported(order).reasons).toEqual([
        { subject: 'x', outcome: 'errored', code: 'rate-limited', count: 2, example: 'early' },
        { subject: 'x', outcome: 'failed', code: 'exit-code', count: 1, example: 'exit code 3' },
      ])
  })

  it('forget what a later line of the same trial replaced', () => {
    const first = [
      trial(0, 'errored', 'rate-limited'),
      { ...trial(1, 'passed'), source: 'cache' as const },
    ]
    expect(reported(first)).toMatchObject({ reasons: [{ count: 1 }], cached: 1 })
    expect(reported([...first, trial(0, 'passed'), trial(1, 'passed')])).toMatchObject({
      reasons: [],
      cached: 0,
    })
  })

  it('are shown within the width and without anything a terminal would act on', () => {
    const { reasons } = reported([
      trial(0, 'failed', 'exit-code', `\u001b[31m${'word '.repeat(100)}`),
    ])
    const lines = reasonLines(reasons, 40)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40)
    expect(lines.join('')).not.toContain('\u001b')
  })

  it('keep examples for a bounded number of texts, and count all', () => {
    const cases = [{ id: 'c', trials: 12_000 }]
    const trials = Array.from({ length: 12_000 }, (_, i) =>
      trial(i, 'failed', 'exit-code', `exit ${11_999 - i}`),
    )
    const { reasons } = reportOf([{ id: 's', cases }], [{ id: 'x' }], trials)
    expect(reasons).toMatchObject([{ count: 12_000, example: 'exit 11999' }])
  })
})
