import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import { random } from '../resample/random.ts'
import { upliftRatio } from './uplift-ratio.ts'

const reason = (baseline: number[], tier: number[]) => upliftRatio(baseline, tier).reason

describe('upliftRatio', () => {
  interface Vector {
    baseline: number[]
    tier: number[]
    level: number
    value: number | null
    low: number | null
    high: number | null
  }

  it('agrees with exact rationals and mpmath, also on where there is no interval', () => {
    for (const v of golden<Vector>('uplift-ratio')) {
      const about = JSON.stringify(v).slice(0, 80)
      const { value, interval, reason: why, n } = upliftRatio(v.baseline, v.tier, v.level)
      expect(n).toBe(v.baseline.length)
      if (v.value === null) expect(value, about).toBeNull()
      else expectClose(value as number, v.value, 1e-13, about)
      if (v.low === null || v.high === null) {
        expect(interval, about).toBeUndefined()
        expect(why, about).toBeTypeOf('string')
      } else {
        expectClose(interval?.low as number, v.low, 1e-11, about)
        expectClose(interval?.high as number, v.high, 1e-11, about)
      }
    }
  })

  it('gives each missing interval its own reason', () => {
    expect(reason([0, 0], [1, 1])).toContain('the baseline is 0')
    expect(reason([1, 1], [0, 0])).toContain('the tier is 0')
    expect(reason([1], [2])).toContain('one case')
    expect(reason([0, 0.1, 0], [1, 1, 1])).toContain('not clearly above 0')
    expect(reason([0.5, 0.7, 0.6], [1, 1.4, 1.2])).toContain('no spread was seen')
  })

  it('pairs: a gain that is nearly the same in all cases is known far better than the means', () => {
    const draw = random(6)
    const baseline = Array.from({ length: 50 }, () => 0.2 + 0.6 * draw())
    const tier = baseline.map((b) => b * (1.1 + 0.02 * (draw() - 0.5)))
    const { interval } = upliftRatio(baseline, tier)
    expect((interval?.high as number) - (interval?.low as number)).toBeLessThan(0.005)
  })

  it('covers the true uplift about as often as it says (30 paired cases)', () => {
    let covered = 0
    const suites = 2000
    for (let s = 0; s < suites; s++) {
      const draw = random(72, s)
      const baseline = Array.from({ length: 30 }, () => 0.2 + 0.6 * draw())
      // The true means are 0.5 and 0.6, an uplift of 20 %.
      const tier = baseline.map((b) => 0.5 * b + 0.7 * draw())
      const { low, high } = upliftRatio(baseline, tier).interval as { low: number; high: number }
      if (low <= 0.2 && high >= 0.2) covered++
    }
    expect(covered / suites).toBeGreaterThan(0.935)
    expect(covered / suites).toBeLessThan(0.965)
  })

  it('refuses negative scores, NaN and lists that do not pair', () => {
    expect(() => upliftRatio([], [])).toThrow('baseline must not be empty')
    expect(() => upliftRatio([1], [1, 2])).toThrow('same length')
    expect(() => upliftRatio([-1], [1])).toThrow('baseline must be')
    expect(() => upliftRatio([1], [Number.NaN])).toThrow('tier must be')
    expect(() => upliftRatio([1], [1], 0)).toThrow('level must be')
  })
})
