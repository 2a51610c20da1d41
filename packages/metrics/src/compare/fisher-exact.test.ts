import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import { fisherExact } from './fisher-exact.ts'

interface Vector {
  a: number
  b: number
  c: number
  d: number
  twoSided: number
  less: number
  greater: number
}

const count = fc.integer({ min: 0, max: 60 })

describe('fisherExact', () => {
  it('agrees with exact rationals to 1e-14 down to 1e-309', () => {
    for (const v of golden<Vector>('fisher-exact'))
      for (const side of ['twoSided', 'less', 'greater'] as const) {
        const { p } = fisherExact(v.a, v.b, v.c, v.d, side)
        expectClose(p, v[side], 1e-14, `${side} of ${v.a} ${v.b} ${v.c} ${v.d}`)
      }
  })

  it('reaches the smallest doubles without a premature 0', () => {
    const { p } = fisherExact(530, 0, 0, 530, 'greater')
    expect(p).toBeGreaterThan(0)
    expectClose(p, 3.303847e-318, 1e-5) // 1/C(1060, 530)
  })

  it('answers for a thousand million trials, and 0 only below the smallest double', () => {
    const half = 5e8
    // The normal approximation is good to about 1e-4 here: z = 0.2236 with its correction.
    expectClose(fisherExact(half, half, half + 1e4, half).p, 0.8231, 1e-3)
    expect(fisherExact(half, 1, 1, half).p).toBe(0)
  })

  it('does not change when the table is transposed, and its sides swap when the rows do', () => {
    fc.assert(
      fc.property(count, count, count, count, (a, b, c, d) => {
        const { p } = fisherExact(a, b, c, d)
        expectClose(fisherExact(a, c, b, d).p, p, 1e-12)
        expectClose(fisherExact(c, d, a, b).p, p, 1e-12)
        expectClose(fisherExact(c, d, a, b, 'less').p, fisherExact(a, b, c, d, 'greater').p, 1e-12)
      }),
    )
  })

  it('has tails that overlap in the observed table only', () => {
    fc.assert(
      fc.property(count, count, count, count, (a, b, c, d) => {
        const less = fisherExact(a, b, c, d, 'less').p
        const greater = fisherExact(a, b, c, d, 'greater').p
        expect(less + greater).toBeGreaterThanOrEqual(1 - 1e-12)
        expect(fisherExact(a, b, c, d).p).toBeGreaterThanOrEqual(
          Math.min(less, greater) * (1 - 1e-12),
        )
      }),
    )
  })

  it('is certain where a margin is empty', () => {
    expect(fisherExact(0, 0, 3, 4)).toEqual({ p: 1, alternative: 'twoSided', oddsRatio: null })
    expect(fisherExact(4, 0, 7, 0).p).toBe(1)
  })

  it('gives the sample odds ratio, or null where it is infinite', () => {
    expect(fisherExact(3, 1, 1, 3).oddsRatio).toBe(9)
    expect(fisherExact(0, 1, 2, 3).oddsRatio).toBe(0)
    expect(fisherExact(5, 0, 2, 3).oddsRatio).toBeNull()
  })

  it('shows why five trials cannot flag one broken case among 20', () => {
    const { p } = fisherExact(5, 0, 0, 5, 'greater')
    expectClose(p, 1 / 252, 1e-14)
    expect(p).toBeGreaterThan(0.05 / 20)
  })

  it('refuses what is not a count', () => {
    expect(() => fisherExact(1, -1, 2, 3)).toThrow(
      new RangeError('b must be an integer from 0 to 1000000000, got -1'),
    )
    expect(() => fisherExact(1, 1, 2.5, 3)).toThrow('c must be')
    expect(() => fisherExact(1, 1, 2, Number.NaN)).toThrow('d must be')
    expect(() => fisherExact(1, 1, 2, 3, 'both' as 'less')).toThrow('alternative must be')
  })
})
