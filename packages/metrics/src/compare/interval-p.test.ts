import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import { clopperPearson } from '../interval/proportion/clopper-pearson.ts'
import { intervalP } from './interval-p.ts'
import { pairedDifference } from './paired-difference.ts'

describe('intervalP', () => {
  it("is the p of scipy's paired t test for the t interval", () => {
    const vectors = golden<{
      a: number[]
      b: number[]
      groups: string[] | null
      p: number
    }>('paired-difference')
    expect(vectors.length).toBeGreaterThan(5)
    for (const { a, b, groups, p } of vectors) {
      const at = (level: number) => pairedDifference(a, b, level, groups ?? undefined).interval
      if (p > 1e-8) expectClose(intervalP(0, at) as number, p, 1e-5)
    }
  })

  it('is below alpha exactly where the interval of the level 1 − alpha excludes the value', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0.01, max: 0.99, noNaN: true }),
        fc.constantFrom(0.8, 0.95, 0.99),
        (n, share, value, level) => {
          const at = (one: number) => clopperPearson(n, Math.round(share * n), one)
          const { low, high } = at(level)
          const excludes = low > value || high < value
          expect((intervalP(value, at, level) as number) < 1 - level).toBe(excludes)
        },
      ),
    )
  })

  it('stays on the right side of alpha where it is within rounding of it', () => {
    const at = (shift: number) => (level: number) => ({ low: 1 - level - 0.05 + shift, high: 2 })
    // The interval excludes 0, or holds it, by less than the precision of the search.
    expect(intervalP(0, at(1e-10), 0.95)).toBeLessThan(1 - 0.95)
    expect(intervalP(0, at(-1e-10), 0.95)).toBeGreaterThan(1 - 0.95)
  })

  it('is 1 where every interval holds the value, and null without an interval', () => {
    expect(intervalP(0, () => ({ low: -1, high: 1 }))).toBe(1)
    expect(intervalP(0, () => null)).toBeNull()
    expect(intervalP(0, () => ({ low: 1, high: 2 }))).toBe(1e-9)
    expect(() => intervalP(Number.NaN, () => null)).toThrow('value must be')
  })
})
