import { describe, expect, it } from 'vitest'
import type { ReasonCode, Trial } from '../contract.ts'
import { reasonLines, takeRemarks } from './remarks.ts'

const trial = (index: number, outcome: Trial['outcome'], code?: ReasonCode, text = ''): Trial => ({
  suite: 's',
  case: 'c',
  subject: 'x',
  index,
  caseHash: 'h',
  outcome,
  ...(code === undefined ? {} : { reason: { code, text } }),
  score: null,
  implRate: null,
  grades: [],
  answer: null,
  usage: null,
  cost: { answerUsd: null, judgeUsd: null, spentUsd: 0 },
  time: { startedAt: '', answerMs: 0, waitMs: 0, gradeMs: 0 },
  source: 'live',
})

describe('remarks', () => {
  it('count reasons by subject, most first, with the first text by identity', () => {
    const trials = [
      trial(2, 'errored', 'rate-limited', 'late'),
      trial(1, 'errored', 'rate-limited', 'early'),
      trial(0, 'failed', 'exit-code', 'exit code 3'),
      trial(3, 'failed', 'wrong-answer', 'equals: no'),
      trial(4, 'passed'),
    ]
    for (const order of [trials, trials.toReversed()]) {
      const taker = takeRemarks()
      for (const one of order) taker.add(one)
      expect(taker.remarks().reasons).toEqual([
        { subject: 'x', outcome: 'errored', code: 'rate-limited', count: 2, example: 'early' },
        { subject: 'x', outcome: 'failed', code: 'exit-code', count: 1, example: 'exit code 3' },
      ])
    }
  })

  it('forget what a later line of the same trial replaced', () => {
    const taker = takeRemarks()
    taker.add(trial(0, 'errored', 'rate-limited'))
    taker.add({ ...trial(1, 'passed'), source: 'cache' })
    expect(taker.remarks()).toMatchObject({ reasons: [{ count: 1 }], cached: 1 })
    taker.add(trial(0, 'passed'))
    taker.add(trial(1, 'passed'))
    expect(taker.remarks()).toEqual({ reasons: [], cached: 0 })
  })

  it('are shown within the width and without anything a terminal would act on', () => {
    const taker = takeRemarks()
    taker.add(trial(0, 'failed', 'exit-code', `\u001b[31m${'word '.repeat(100)}`))
    const lines = reasonLines(taker.remarks(), 40)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40)
    expect(lines.join('')).not.toContain('\u001b')
  })
})
