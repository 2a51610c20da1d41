import { describe, expect, it } from 'vitest'
import {
  costDelta,
  costVariance,
  crossTier,
  passRateVariance,
  tierSummary,
  tierUplift,
  upliftAbs,
  type TierRun,
} from './tiers.ts'

const run = (
  passed: boolean,
  implRate: number | null = 0.9,
  costUsd: number | null = 1,
): TierRun => ({
  passed,
  implRate,
  costUsd,
  durationSeconds: 10,
})

describe('tierSummary', () => {
  it('puts the blocks of one tier together and grades the median composite', () => {
    const tier = tierSummary([[run(true), run(true), run(false)]])
    expect(tier.pooled.passRate).toMatchObject({ median: 1, count: 3 })
    expect(tier.pooled.composite?.median).toBeCloseTo(0.95, 15)
    expect(tier.pooled.costOfPass).toMatchObject({
      median: 1,
      mean: Infinity,
      max: Infinity,
      stdDev: null,
    })
    expect(tier.grade).toBe('A')
    expect(tier.unknown).toEqual({ implRate: 0, costUsd: 0, durationSeconds: 0 })
  })

  it('keeps pooled and per-case apart: a case with more runs weighs more only when pooled', () => {
    const tier = tierSummary([[run(true), run(true), run(true)], [run(false)]])
    expect(tier.pooled.passRate.mean).toBe(0.75)
    expect(tier.perCase.passRate.mean).toBe(0.5)
    expect(tier.perCase.passRate.count).toBe(2)
    expect(tier.perCase.costOfPass?.max).toBe(Infinity)
  })

  it('has no block for a figure that one run lacks, and says how many lack it', () => {
    const tier = tierSummary([[run(true, null, null), run(true)]])
    expect(tier.pooled).toMatchObject({
      implRate: null,
      costUsd: null,
      costOfPass: null,
      composite: null,
    })
    expect(tier.perCase.composite).toBeNull()
    expect(tier.grade).toBeNull()
    expect(tier.unknown).toEqual({ implRate: 1, costUsd: 1, durationSeconds: 0 })
    const timeless = tierSummary([[{ ...run(true), durationSeconds: null }]])
    expect(timeless.pooled.durationSeconds).toBeNull()
    expect(timeless.unknown.durationSeconds).toBe(1)
  })

  it('takes weights and scale as data', () => {
    const profile = {
      weights: { pass: 0, impl: 1 },
      scale: { steps: [{ grade: 'good', least: 0.9 }], below: 'bad' },
    }
    expect(tierSummary([[run(false, 0.9)]], profile).grade).toBe('good')
  })

  it('refuses empty tiers, empty cases and figures out of range', () => {
    expect(() => tierSummary([])).toThrow('cases must not be empty')
    expect(() => tierSummary([[]])).toThrow('runs of a case must not be empty')
    expect(() => tierSummary([[run(true, 1.5)]])).toThrow('implRate must be')
    expect(() => tierSummary([[run(true, 1, -1)]])).toThrow('costUsd must be')
    expect(() => tierSummary([[{ ...run(true), durationSeconds: -1 }]])).toThrow('durationSeconds')
  })
})

describe('across tiers', () => {
  it('measures every tier by the baseline', () => {
    const tiers = [0.5, 0.8, 0.3].map((implRate, i) => tierSummary([[run(true, implRate, i + 1)]]))
    const cross = crossTier(tiers)
    expect(cross.uplift.map((value) => value?.toFixed(6))).toEqual([
      '0.000000',
      '0.200000',
      '-0.133333',
    ])
    expect(cross.upliftAbs.map((value) => value?.toFixed(6))).toEqual([
      '0.000000',
      '0.150000',
      '-0.100000',
    ])
    expect(cross).toMatchObject({ passRateVariance: 0, costDelta: 2 })
    expect(cross.costVariance).toBeCloseTo(2 / 3, 15)
    expect(crossTier(tiers, 1).uplift[1]).toBe(0)
  })

  it('has no uplift without composites or over a baseline of 0, and no cost figures without costs', () => {
    const unjudged = tierSummary([[run(true, null, null)]])
    expect(crossTier([unjudged, unjudged])).toEqual({
      uplift: [null, null],
      upliftAbs: [null, null],
      passRateVariance: 0,
      costVariance: null,
      costDelta: null,
    })
    const zero = tierSummary([[run(false, 0)]])
    expect(crossTier([zero, tierSummary([[run(true, 1)]])])).toMatchObject({
      uplift: [null, null],
      upliftAbs: [0, 1],
    })
    expect(tierUplift(0.5, 0)).toBeNull()
    expect(upliftAbs(0.5, 0)).toBe(0.5)
  })

  it('knows no spread in a single tier', () => {
    expect([passRateVariance([0.4]), costVariance([7]), costDelta([7])]).toEqual([0, 0, 0])
  })

  it('refuses what is not a tier', () => {
    const tier = tierSummary([[run(true)]])
    expect(() => crossTier([])).toThrow('tiers must not be empty')
    expect(() => crossTier([tier], 1)).toThrow('baseline must be')
    expect(() => tierUplift(-1, 0.5)).toThrow('tier must be')
    expect(() => tierUplift(1, Number.NaN)).toThrow('t0 must be')
    expect(() => costDelta([])).toThrow('costs must not be empty')
    expect(() => costDelta([-1])).toThrow('costs must be')
    expect(() => costVariance([-1])).toThrow('medianCosts must be')
    expect(() => passRateVariance([2])).toThrow('medianPassRates must be')
  })
})
