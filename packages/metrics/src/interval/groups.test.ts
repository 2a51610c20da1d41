/** What groups of cases change in the estimates of a suite, and what they do not change. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cliffsDelta } from '../compare/rank/cliffs-delta.ts'
import { pairedDifference } from '../compare/paired-difference.ts'
import { signFlipExact } from '../compare/rank/sign-flip.ts'
import { costOfPassRatio } from '../cost/cost-of-pass-ratio.ts'
import { resampledMedians } from '../cost/grade-probabilities.ts'
import { paretoMembership } from '../cost/pareto-set.ts'
import { upliftRatio } from '../cost/uplift-ratio.ts'
import { cohenKappa } from '../judge/cohen-kappa.ts'
import { krippendorffAlphaEstimate } from '../judge/krippendorff-alpha.ts'
import type { Metric } from '../metric.ts'
import { meanScoreEstimate } from './mean-score-estimate.ts'
import { passAtKCurve } from './pass-curve.ts'
import { passAtKEstimate, passHatKEstimate, passRateEstimate } from './pass-estimate.ts'

const NAMES = ['a', 'a', 'a', 'b', 'b', 'b', 'c', 'c', 'c', 'd', 'd', 'd']
const PASSES = [5, 5, 4, 0, 1, 0, 3, 4, 3, 5, 5, 5]
const CASES = PASSES.map((c) => ({ n: 5, c }))
const SCORES = CASES.map(({ n, c }) => ({ n, sum: c, sumSq: c }))
const COSTS = CASES.map((one, i) => ({ ...one, cost: 1 + (i % 3) }))
const ALONE = NAMES.map((_, i) => `case ${i}`)

const width = ({ interval }: Metric): number => (interval?.high ?? 0) - (interval?.low ?? 0)

describe('groups of similar cases', () => {
  const estimates = {
    'the pass rate': (groups?: string[]) => passRateEstimate(CASES, 'population', 0.95, groups),
    'pass@2': (groups?: string[]) => passAtKEstimate(CASES, 2, 'population', 0.95, groups),
    'pass^2': (groups?: string[]) => passHatKEstimate(CASES, 2, 'population', 0.95, groups),
    'the mean score': (groups?: string[]) => meanScoreEstimate(SCORES, 'population', 0.95, groups),
    'the cost of a pass': (groups?: string[]) => costOfPassRatio(COSTS, 0.95, 1, groups),
    'the uplift': (groups?: string[]) =>
      upliftRatio(
        PASSES.map((c) => (c + 3) / 10),
        PASSES.map((c) => (c * 1.5 + 2) / 10),
        0.95,
        groups,
      ),
    'the agreement of two judges': (groups?: string[]) =>
      cohenKappa(
        [1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1],
        [1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0],
        'none',
        0.95,
        groups,
      ),
  }

  it.each(Object.entries(estimates))('keep the value of %s and widen its interval', (_, of) => {
    const [free, grouped] = [of(), of(NAMES)]
    expect(grouped.value).toBeCloseTo(free.value ?? Number.NaN, 12)
    expect(grouped.n).toBe(12)
    expect(grouped.groups).toBe(4)
    expect(free.groups).toBeUndefined()
    expect(width(grouped)).toBeGreaterThan(width(free))
    expect(grouped.interval?.method).toContain('groups')
    expect(grouped.se).toBeGreaterThan(0)
    expect(grouped.effectiveN).toBeGreaterThan(0)
  })

  it.each(Object.entries(estimates))('do not change %s if each has one case', (_, of) => {
    expect(of(ALONE)).toEqual(of())
  })

  it.each(Object.entries(estimates))('leave %s without an interval if there is one', (_, of) => {
    const one = of(NAMES.map(() => 'all'))
    expect(one.interval).toBeUndefined()
    expect(one.reason).toBe('one group says nothing about others: no interval')
    expect(one.groups).toBe(1)
  })

  it.each(Object.entries(estimates))('are refused for %s if one is missing', (_, of) => {
    for (const missing of ['', null, undefined, Number.NaN])
      expect(() => of(NAMES.map((name, i) => (i === 3 ? missing : name)) as string[])).toThrow(
        /groups must be names or finite numbers, none missing/,
      )
    expect(() => of(NAMES.slice(1))).toThrow(/same length/)
  })

  it('do not change the interval for exactly these cases', () => {
    for (const [free, grouped] of [
      [passRateEstimate(CASES, 'fixed'), passRateEstimate(CASES, 'fixed', 0.95, NAMES)],
      [meanScoreEstimate(SCORES, 'fixed'), meanScoreEstimate(SCORES, 'fixed', 0.95, NAMES)],
    ])
      expect(grouped).toEqual(free)
  })

  it('give an interval for cases like these that contains the one for exactly these', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 6 }), fc.constantFrom('a', 'b', 'c', 'd')), {
          minLength: 3,
          maxLength: 30,
        }),
        (drawn) => {
          const cases = drawn.map(([c]) => ({ n: 6, c }))
          const groups = drawn.map(([, name]) => name)
          const { interval } = passRateEstimate(cases, 'population', 0.95, groups)
          const fixed = passRateEstimate(cases, 'fixed').interval
          fc.pre(interval !== undefined && fixed !== undefined)
          expect(interval?.low).toBeLessThanOrEqual(fixed?.low ?? 0)
          expect(interval?.high).toBeGreaterThanOrEqual(fixed?.high ?? 1)
        },
      ),
    )
  })

  it('leave out the groups of cases with fewer than k trials', () => {
    const cases = [...CASES, { n: 1, c: 1 }]
    const groups = [...NAMES, 'e']
    expect(passAtKCurve(cases, 'population', 0.95, groups).map((one) => one.groups)).toEqual([
      5, 4, 4, 4, 4,
    ])
  })

  it('make one large group and one small group worth little more than one group', () => {
    const cases = Array.from({ length: 40 }, (_, i) => ({ n: 5, c: i % 6 }))
    const groups = cases.map((_, i) => (i === 0 ? 'small' : 'large'))
    const { interval } = passRateEstimate(cases, 'population', 0.95, groups)
    expect(interval?.low).toBeLessThan(0.03)
    expect(interval?.high).toBeGreaterThan(0.97)
  })

  it('flip signs together, so that four groups cannot give a p below 1/8', () => {
    const differences = PASSES.map((c) => (c + 1) / 10)
    expect(signFlipExact(differences).p).toBeCloseTo(2 / 2 ** 12, 12)
    expect(signFlipExact(differences, 'twoSided', NAMES).p).toBeCloseTo(2 / 2 ** 4, 12)
    // Differences that cancel within their group are no difference.
    expect(signFlipExact([0.1, 0.2, -0.3], 'twoSided', ['a', 'a', 'a']).p).toBe(1)
  })

  it('widen the interval of Cliff’s delta', () => {
    const before = PASSES.map((c) => c / 5)
    const after = PASSES.map((c, i) => (c + (i % 3)) / 7)
    const free = cliffsDelta(after, before)
    const grouped = cliffsDelta(after, before, 0.95, { x: NAMES, y: NAMES })
    expect(grouped.delta).toBe(free.delta)
    expect(grouped.interval.high - grouped.interval.low).toBeGreaterThan(
      free.interval.high - free.interval.low,
    )
    const one = NAMES.map(() => 'all')
    expect(cliffsDelta(after, before, 0.95, { x: one, y: one }).interval).toEqual({
      low: -1,
      high: 1,
    })
  })

  it('are what bootstraps resample', () => {
    // Two groups, each with equal values: a resample has the values of both, or of one.
    const scores = [0.2, 0.2, 0.2, 0.9, 0.9, 0.9]
    const groups = ['x', 'x', 'x', 'y', 'y', 'y']
    const medians = new Set(resampledMedians(scores, { seed: 1, resamples: 200, groups }))
    expect([...medians].sort((a, b) => a - b)).toEqual([0.2, 0.55, 0.9])
    const cheap = [1, 1, 1, 0, 0, 0].map((c) => ({ n: 1, c, cost: 1 }))
    const dear = [1, 1, 1, 1, 1, 1].map((c) => ({ n: 1, c, cost: 2 }))
    // The dear one is better unless only the first group was drawn, which happens in 1/4 of resamples.
    const grouped = paretoMembership([cheap, dear], { seed: 1, resamples: 4000, groups })
    expect(grouped.probability[1]).toBeCloseTo(0.75, 1)
    expect(
      paretoMembership([cheap, dear], { seed: 1, resamples: 4000 }).probability[1],
    ).toBeGreaterThan(0.95)
  })

  it('are named by the interval of Krippendorff’s alpha', () => {
    const ratings = [PASSES, PASSES.map((c, i) => (i % 4 === 0 ? 5 - c : c))]
    const { percentile } = krippendorffAlphaEstimate(ratings, 'interval', {
      seed: 1,
      groups: NAMES,
    })
    expect(percentile?.method).toBe('percentile bootstrap over groups')
  })

  it('count as units of a paired difference, with fewer degrees of freedom if sizes differ', () => {
    const before = PASSES.map((c) => c / 10)
    const after = PASSES.map((c, i) => (c + (i % 2)) / 10)
    expect(pairedDifference(before, after, 0.95, NAMES)).toMatchObject({ units: 4, df: 3 })
    const unequal = NAMES.map((name) => (name === 'b' ? 'a' : name))
    const { df, units } = pairedDifference(before, after, 0.95, unequal)
    expect(units).toBe(3)
    expect(df).toBeCloseTo(144 / (36 + 9 + 9) - 1, 12)
  })
})
