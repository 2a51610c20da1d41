/**
 * Every worked example in code-scoring, scoring-functions and metrics-formulas, checked to the last
 * printed digit.
 */
import { describe, expect, it } from 'vitest'
import { classifyChange } from './code/classify-change.ts'
import { codeScore } from './code/code-score.ts'
import { compositeScore } from './tiers/composite-score.ts'
import { costOfPass, costUsd } from './tiers/cost.ts'
import { describe as statistics } from './describe.ts'
import { letterGrade } from './tiers/letter-grade.ts'
import { computeMultiTrialMetrics } from './multi-trial.ts'
import { passAtK } from './pass-at-k.ts'
import { passToTheK } from './pass-hat-k.ts'
import { passRateVariance, tierUplift } from './tiers/tiers.ts'

describe('scoring-functions', () => {
  it('3 successes out of 5 trials: pass@5 is 1', () => {
    expect(passAtK(5, 3, 5)).toBe(1)
  })

  it('80 % pass rate, 5 trials: pass^5 is 0.328', () => {
    expect(passToTheK(0.8, 5).toFixed(3)).toBe('0.328')
  })

  it('4 of 5: rate 0.8, pass^5 0.33, and pass@5 exactly 1 where the document prints 0.99', () => {
    const metrics = computeMultiTrialMetrics([true, true, false, true, true])
    expect(metrics.perTrialPassRate).toBe(0.8)
    expect(metrics.passToTheK.toFixed(2)).toBe('0.33')
    expect(metrics.k).toBe(5)
    // The printed 0.99 contradicts the pass@k formula of the same document. The formula is right.
    expect(metrics.passAtK).toBe(1)
  })
})

describe('code-scoring', () => {
  it('a perfect score is 1: it compiles, all tests pass, no warnings', () => {
    expect(codeScore({ compiled: true, passed: 10, failed: 0, warnings: 0 })).toBe(1)
  })

  it('a failure to compile zeroes everything', () => {
    expect(codeScore({ compiled: false, passed: 10, failed: 0, warnings: 0 })).toBe(0)
  })

  it('each warning takes one point in a hundred, ten or more take all of the lint part', () => {
    const score = (warnings: number) =>
      codeScore({ compiled: true, passed: 1, failed: 0, warnings }).toFixed(12)
    expect(score(1)).toBe('0.990000000000')
    expect(score(10)).toBe('0.900000000000')
    expect(score(25)).toBe('0.900000000000')
  })

  it('the default threshold of 5 % separates 0.06 from 0.05', () => {
    expect(classifyChange(0.9, 0.84, 0.05)).toBe('regression')
    expect(classifyChange(0.9, 0.85, 0.05)).toBe('unchanged')
    expect(classifyChange(0.8, 0.86, 0.05)).toBe('improvement')
  })
})

describe('metrics-formulas', () => {
  it('example 1, a single run: cost of pass 0.50, composite 0.925, grade B', () => {
    expect(costOfPass(0.5, 1)).toBe(0.5)
    expect(compositeScore(1, 0.85)).toBe(0.925)
    expect(letterGrade(0.925)).toBe('B')
  })

  it('example 2, ten runs: median 1, mean 0.8, mode 1, range 0 to 1, deviation 0.4', () => {
    const { stdDev, ...rest } = statistics([1, 1, 0, 1, 1, 1, 0, 1, 1, 1])
    expect(rest).toEqual({ median: 1, mean: 0.8, mode: 1, min: 0, max: 1, count: 10 })
    expect(stdDev).toBeCloseTo(0.4, 15)
  })

  it('example 3, four tiers: uplifts 14.3 %, 21.4 %, 28.6 % and variance 0.00547', () => {
    const medians = [0.7, 0.8, 0.85, 0.9]
    const uplifts = medians.slice(1).map((median) => tierUplift(median, 0.7)?.toFixed(3))
    expect(uplifts).toEqual(['0.143', '0.214', '0.286'])
    expect(passRateVariance(medians).toFixed(5)).toBe('0.00547')
  })

  it('the uplift example: 0.75 to 0.90 is 20 %', () => {
    expect(tierUplift(0.9, 0.75)).toBeCloseTo(0.2, 14)
  })

  it('prices are per million tokens', () => {
    const opus = { inputPricePer1M: 15, outputPricePer1M: 75 }
    expect(costUsd({ inputTokens: 1_000_000, outputTokens: 1_000_000, ...opus })).toBe(90)
  })
})
