import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import type { CaseCounts } from '../metric.ts'
import { binomialDraw } from '../resample/binomial-draw.ts'
import { random } from '../resample/random.ts'
import { roganGladen } from './rogan-gladen.ts'

describe('roganGladen', () => {
  it('agrees with mpmath, also on where there is no answer', () => {
    interface Vector {
      observed: CaseCounts
      sensitivity: CaseCounts
      specificity: CaseCounts
      level: number
      raw: number | null
      se: number | null
      low: number | null
      high: number | null
    }
    for (const v of golden<Vector>('rogan-gladen')) {
      const r = roganGladen(v.observed, v.sensitivity, v.specificity, v.level)
      const about = JSON.stringify(v)
      expect(r.n).toBe(v.observed.n)
      if (v.raw === null || v.se === null) {
        expect(r, about).toMatchObject({
          value: null,
          raw: null,
          standardError: null,
          clipped: false,
        })
        expect(r.reason, about).toContain('no better than chance')
        continue
      }
      // For a judge barely better than chance, the divisor is a small difference, so digits are lost.
      const tolerance = Math.abs(v.raw) > 2 ? 1e-11 : 1e-13
      expect(Math.abs((r.raw as number) - v.raw), about).toBeLessThanOrEqual(
        tolerance * Math.max(1, Math.abs(v.raw)),
      )
      expectClose(r.standardError as number, v.se, tolerance, about)
      expect(r.value, about).toBe(Math.min(1, Math.max(0, r.raw as number)))
      expect(r.clipped, about).toBe(r.value !== r.raw)
      if (v.low === null || v.high === null) {
        expect(r.interval, about).toBeUndefined()
        expect(r.reason, about).toBeTypeOf('string')
      } else {
        expect(r.interval?.low, about).toBeCloseTo(v.low, 11)
        expect(r.interval?.high, about).toBeCloseTo(v.high, 11)
      }
    }
  })

  it('leaves the rate of a flawless judge alone, and still gives it width', () => {
    const r = roganGladen({ n: 50, c: 20 }, { n: 30, c: 30 }, { n: 30, c: 30 })
    expect(r).toMatchObject({ value: 0.4, raw: 0.4, clipped: false })
    expect(r.interval?.low).toBeLessThan(0.3)
    expect(r.interval?.high).toBeGreaterThan(0.5)
  })

  it('flags what it cut off', () => {
    // A judge that passes a fifth of the bad items cannot have an observed pass rate of 10 %.
    const r = roganGladen({ n: 40, c: 4 }, { n: 50, c: 45 }, { n: 50, c: 40 })
    expect(r).toMatchObject({ value: 0, clipped: true })
    expect(r.raw).toBeCloseTo(-1 / 7, 12)
  })

  it.each([
    [0.02, 0.9, 0.9],
    [0.3, 0.8, 0.95],
    [0.7, 0.95, 0.7],
    [0.98, 0.9, 0.85],
  ])(
    'covers a true rate of %s seen by a judge of %s and %s at least 93 % of the time',
    (rate, sens, spec) => {
      let covered = 0
      const runs = 2000
      for (let run = 0; run < runs; run++) {
        const draw = random(51, run)
        const { interval } = roganGladen(
          { n: 150, c: binomialDraw(draw, 150, rate * sens + (1 - rate) * (1 - spec)) },
          { n: 60, c: binomialDraw(draw, 60, sens) },
          { n: 60, c: binomialDraw(draw, 60, spec) },
        )
        if (interval && interval.low <= rate && interval.high >= rate) covered++
      }
      expect(covered / runs).toBeGreaterThan(0.93)
    },
  )

  it('refuses counts that are none', () => {
    const x = { n: 5, c: 3 }
    expect(() => roganGladen({ n: 0, c: 0 }, x, x)).toThrow('n must be')
    expect(() => roganGladen(x, { n: 5, c: 6 }, x)).toThrow('c must be')
    expect(() => roganGladen(x, x, { n: 5, c: -1 })).toThrow('c must be')
    expect(() => roganGladen(x, x, x, 1)).toThrow('level must be')
  })
})
