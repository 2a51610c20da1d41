import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fakeCase } from '../../../test/fakes.ts'
import { judged } from '../../../test/grade-answer.ts'
import type { GraderConfig } from '@assay/contract'
import { budgetScore } from './budget.ts'

const usage = { input: 100, cacheRead: 20, cacheWrite: 30, output: 50, reasoning: 40 }

describe('the score of a budget', () => {
  it('is 1 up to max and falls evenly to 0 at twice that', () => {
    expect([0, 100, 150, 200, 1000].map((value) => budgetScore(value, 100))).toEqual([
      1, 1, 0.5, 0, 0,
    ])
  })

  it('falls as if max were 1 where it is less', () => {
    expect(budgetScore(0.75, 0.25)).toBe(0.5)
    expect(budgetScore(0.5, 0)).toBe(0.5)
    expect(budgetScore(0, 0)).toBe(1)
  })

  it('lies in [0, 1] and never rises', () => {
    const amounts = fc.double({ min: 0, max: 1e9, noNaN: true })
    fc.assert(
      fc.property(amounts, amounts, amounts, (a, b, max) => {
        const [less, more] = [Math.min(a, b), Math.max(a, b)]
        expect(budgetScore(less, max)).toBeLessThanOrEqual(1)
        expect(budgetScore(more, max)).toBeGreaterThanOrEqual(0)
        expect(budgetScore(more, max)).toBeLessThanOrEqual(budgetScore(less, max))
      }),
    )
  })
})

describe('token-budget', () => {
  it('counts all tokens, with reasoning as a part of the output', async () => {
    expect(await judged('token-budget', { max: 160 }, 'x', { usage })).toEqual({
      score: 0.75,
      passed: false,
      reason: '200 tokens, over the budget of 160 tokens',
      facts: { value: 200, max: 160 },
    })
    const counted = async (of: string) =>
      (await judged('token-budget', { max: 1000, of }, 'x', { usage })).reason
    expect(await counted('input')).toBe('150 input tokens, within the budget of 1000 input tokens')
    expect(await counted('output')).toContain('50 output tokens, within')
  })
})

describe('cost-budget and time-budget', () => {
  it('count dollars and seconds', async () => {
    expect(await judged('cost-budget', { max: 2 }, 'x', { usd: 3 })).toMatchObject({
      score: 0.5,
      passed: false,
      reason: '$3, over the budget of $2',
    })
    expect(await judged('time-budget', { max: '2s' }, 'x', { answerMs: 2500 })).toMatchObject({
      score: 0.75,
      reason: '2.5 s, over the budget of 2 s',
    })
    expect((await judged('time-budget', { max: '500ms' }, 'x', { answerMs: 500 })).passed).toBe(
      true,
    )
  })
})

describe('a budget of what is not known', () => {
  const config = (type: string): GraderConfig => ({
    type,
    name: type,
    weight: 1,
    required: false,
    negate: false,
    options: {},
  })

  it('leaves the verdict to the other graders and says so', async () => {
    for (const type of ['token-budget', 'cost-budget', 'time-budget'])
      expect(
        await judged(type, { max: type === 'time-budget' ? '1s' : 1 }, 'x', { answerMs: null }),
      ).toMatchObject({
        score: null,
        passed: null,
        reason: expect.stringMatching(/^not judged: .* is not known$/) as string,
      })
  })

  it('makes the trial errored where only budgets grade it', async () => {
    const one = fakeCase('c', { graders: [config('token-budget'), config('time-budget')] })
    await expect(judged('token-budget', { max: 1 }, 'x', { case: one })).rejects.toThrow(
      'how many tokens the answer took is not known, and no other grader of the case decides',
    )
  })
})
