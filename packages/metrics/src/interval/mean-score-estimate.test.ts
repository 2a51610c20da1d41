import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import type { Target } from '../metric.ts'
import { clopperPearson } from './proportion/clopper-pearson.ts'
import { type CaseScores, meanScoreEstimate } from './mean-score-estimate.ts'

const sumsOf = (scores: readonly number[]): CaseScores => ({
  n: scores.length,
  sum: scores.reduce((sum, score) => sum + score, 0),
  sumSq: scores.reduce((sum, score) => sum + score * score, 0),
})

const method = (suite: readonly (readonly number[])[], target: Target) =>
  meanScoreEstimate(suite.map(sumsOf), target).interval?.method

const targets: readonly Target[] = ['population', 'fixed']

describe('meanScoreEstimate', () => {
  it('agrees with exact rationals and mpmath', () => {
    for (const v of golden<{
      suite: string
      cases: CaseScores[]
      target: Target
      level: number
      value: number
      low: number
      high: number
    }>('score-intervals')) {
      const { value, interval } = meanScoreEstimate(v.cases, v.target, v.level)
      const at = `${v.suite}, ${v.target}, ${v.level}`
      expectClose(value ?? Number.NaN, v.value, 1e-14, `value of ${at}`)
      // The variance of the fixed set comes from a difference of the rounded sum and sumSq, so it
      // loses digits.
      expectClose(interval?.low ?? Number.NaN, v.low, 1e-11, `low of ${at}`)
      expectClose(interval?.high ?? Number.NaN, v.high, 1e-11, `high of ${at}`)
    }
  })

  it('is the exact binomial interval when every score is 1', () => {
    const cases = Array.from({ length: 12 }, () => sumsOf([1, 1]))
    expectClose(
      meanScoreEstimate(cases, 'population').interval?.low ?? 0,
      clopperPearson(12, 12).low,
      1e-13,
    )
    expectClose(
      meanScoreEstimate(cases, 'fixed').interval?.low ?? 0,
      clopperPearson(24, 24).low,
      1e-13,
    )
  })

  it('never narrows to what the seen spread alone would say near the ceiling', () => {
    const cases = Array.from({ length: 20 }, (_, i) => sumsOf([1, 1, 1, 1, i < 2 ? 0.98 : 1]))
    // The standard error of these means is only 0.0002. But if one trial in 28 had the score 0, a
    // suite of 100 trials would contain no such trial with probability 0.025.
    const fixed = meanScoreEstimate(cases, 'fixed').interval
    expect(fixed?.low).toBeLessThan(0.97)
    expect(meanScoreEstimate(cases, 'population').interval?.low).toBeLessThan(0.85)
  })

  it('stays within [0, 1] with the value inside, for any scores', () => {
    const scores = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), {
      minLength: 1,
      maxLength: 6,
    })
    fc.assert(
      fc.property(fc.array(scores, { minLength: 2, maxLength: 15 }), (suite) => {
        for (const target of targets) {
          const { value, interval } = meanScoreEstimate(suite.map(sumsOf), target)
          if (value === null || interval === undefined) throw new Error('no interval')
          expect(interval.low).toBeGreaterThanOrEqual(0)
          expect(interval.high).toBeLessThanOrEqual(1)
          expect(interval.low).toBeLessThanOrEqual(value)
          expect(interval.high).toBeGreaterThanOrEqual(value)
        }
      }),
    )
  })

  it('leaves out cases without a trial and says when none is left', () => {
    const none = { n: 0, sum: 0, sumSq: 0 }
    expect(meanScoreEstimate([none, sumsOf([0.5, 1])], 'fixed').n).toBe(1)
    expect(meanScoreEstimate([none], 'fixed')).toEqual({
      value: null,
      reason: 'no case has a trial',
      n: 0,
    })
  })

  it('gives one case a value without an interval for the population', () => {
    const metric = meanScoreEstimate([sumsOf([0.5, 1])], 'population')
    expect(metric.value).toBe(0.75)
    expect(metric.interval).toBeUndefined()
    expect(metric.reason).toContain('one case')
  })

  it('names its methods', () => {
    expect(
      method(
        [
          [0.5, 1],
          [0.2, 0.4],
        ],
        'population',
      ),
    ).toBe('Korn-Graubard with unseen share')
    expect(
      method(
        [
          [1, 1],
          [0, 0],
        ],
        'population',
      ),
    ).toBe('Clopper-Pearson over cases')
    expect(
      method(
        [
          [0.5, 1],
          [0.2, 0.4],
        ],
        'fixed',
      ),
    ).toBe('Clopper-Pearson on effective n with unseen share')
    expect(method([[0.5], [0.2, 0.4]], 'fixed')).toBe('Clopper-Pearson over trials')
  })

  it('refuses sums that no scores in [0, 1] have', () => {
    expect(() => meanScoreEstimate([{ n: 2, sum: 2.5, sumSq: 2 }], 'fixed')).toThrow('sum must be')
    expect(() => meanScoreEstimate([{ n: 2, sum: 1, sumSq: 1.5 }], 'fixed')).toThrow(
      'sumSq must be',
    )
    expect(() => meanScoreEstimate([{ n: 2, sum: 1, sumSq: 0.4 }], 'fixed')).toThrow(
      'sumSq must be',
    )
    expect(() => meanScoreEstimate([{ n: 1.5, sum: 1, sumSq: 1 }], 'fixed')).toThrow('n must be')
    expect(() => meanScoreEstimate([sumsOf([1])], 'fixed', 0)).toThrow('level must be')
  })
})
