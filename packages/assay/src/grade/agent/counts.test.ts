import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fakeCall, fakeCase, fakeDiff, fakeTrajectory } from '../../../test/fakes.ts'
import { judged, refusal } from '../../../test/grade-answer.ts'
import type { GraderConfig } from '@assay/contract'
import { judgeCount } from './count.ts'

describe('a count', () => {
  it('scores 1 from min to max, and falls on either side', () => {
    const scores = [0, 1, 2, 4, 6, 8].map((n) => judgeCount(n, { min: 2, max: 4 }, String).score)
    expect(scores).toEqual([0, 0.5, 1, 1, 0.5, 0])
  })

  it('passes exactly where its score is 1, which lies in [0, 1]', () => {
    const counts = fc.nat(1000)
    fc.assert(
      fc.property(counts, counts, counts, (value, a, b) => {
        const range = { min: Math.min(a, b), max: Math.max(a, b) }
        const { score, passed } = judgeCount(value, range, String)
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(1)
        expect(passed).toBe(score === 1)
      }),
    )
  })
})

const trajectory = fakeTrajectory(
  [
    fakeCall('Bash'),
    fakeCall('Bash', { failed: true, result: 'no' }),
    { kind: 'error', text: 'the model is overloaded' },
    fakeCall('Read'),
  ],
  { turns: 5 },
)

describe('turn-count, tool-call-count and error-count', () => {
  it.each([
    ['turn-count', { max: 4 }, 0.75, '5 turns, over the budget of 4 turns'],
    ['turn-count', { max: 5 }, 1, '5 turns, within the budget of 5 turns'],
    ['turn-count', { min: 10 }, 0.5, '5 turns, fewer than 10 turns'],
    ['tool-call-count', { max: 2 }, 0.5, '3 tool calls, over the budget of 2 tool calls'],
    ['tool-call-count', { min: 1 }, 1, '3 tool calls, at least 1 tool call'],
    [
      'tool-call-count',
      { max: 1, tool: 'B*' },
      0,
      '2 tool calls of B*, over the budget of 1 tool call of B*',
    ],
    ['error-count', { max: 0 }, 0, '1 error, over the budget of 0 errors'],
    ['error-count', { max: 1, min: 1 }, 1, '1 error, between 1 and 1 error'],
    ['error-count', { max: 1, toolCalls: true }, 0, '2 errors, over the budget of 1 error'],
  ])('%s %o scores %s', async (type, options, score, reason) => {
    expect(await judged(type, options, '', { trajectory })).toMatchObject({
      score,
      passed: score === 1,
      reason,
    })
  })

  it('refuse to count for nothing', () => {
    for (const type of ['turn-count', 'tool-call-count', 'error-count']) {
      expect(refusal(type, {})).toContain('max or min')
      expect(refusal(type, { max: 1, min: 2 })).toContain('not above max')
    }
  })
})

describe('completed', () => {
  const ended = (change: object, steps = trajectory.steps) =>
    judged('completed', {}, '', { trajectory: fakeTrajectory(steps, change) })

  it('holds where the stream came to its end, with no error there', async () => {
    expect(await ended({})).toMatchObject({ score: 1, passed: true })
    expect(await ended({ complete: false })).toMatchObject({
      score: 0,
      reason: 'the agent’s stream broke off before its end',
    })
    const error = { kind: 'error', at: 1, turn: 0, text: 'out of \u001b[2Jcredit' } as const
    const other = { kind: 'other', at: 2, turn: 0, type: 'x', raw: '{}' } as const
    expect((await ended({}, [...trajectory.steps, error, other])).reason).toMatch(
      /^the last step before its end is an error "out of .*credit"$/,
    )
  })

  it('holds of an answer without steps, which would have failed before it was graded', async () => {
    expect((await judged('completed', {}, 'x')).passed).toBe(true)
    expect((await ended({ format: 'text', complete: false })).passed).toBe(true)
  })
})

const OPTIONS: Readonly<Record<string, object>> = {
  'tool-calls': { expected: ['x'] },
  'skill-invocation': { expected: ['x'] },
  'turn-count': { max: 1 },
  'tool-call-count': { max: 1 },
  'error-count': { max: 1 },
  'diff-contains': { value: 'x' },
  'diff-empty': {},
  'diff-size': { maxFiles: 1 },
  'files-touched': { allow: ['x'] },
}

describe('what an agent did, where nobody acted', () => {
  const config = (type: string): GraderConfig => ({
    type,
    name: type,
    weight: 1,
    required: false,
    negate: false,
    options: {},
  })
  const types = Object.keys(OPTIONS)

  it.each(types)('leaves the verdict to other graders than %s', async (type) => {
    expect(await judged(type, OPTIONS[type], 'x')).toMatchObject({
      score: null,
      passed: null,
      reason: expect.stringMatching(/^not judged: .* is not known$/) as string,
    })
  })

  it('makes the trial errored where no other grader decides', async () => {
    const one = fakeCase('c', { graders: types.map(config) })
    for (const type of types)
      await expect(judged(type, OPTIONS[type], 'x', { case: one })).rejects.toThrow(
        'is not known, and no other grader of the case decides',
      )
  })

  it('is as unknown where only the text of an agent is', async () => {
    const text = fakeTrajectory([], { format: 'text' })
    for (const type of types.filter((one) => !one.startsWith('diff') && one !== 'files-touched'))
      expect((await judged(type, OPTIONS[type], 'x', { trajectory: text })).passed).toBeNull()
  })

  it('is judged by each of them where somebody did', async () => {
    for (const type of types) {
      const { passed } = await judged(type, OPTIONS[type], '', { trajectory, diff: fakeDiff() })
      expect(typeof passed).toBe('boolean')
    }
  })
})
