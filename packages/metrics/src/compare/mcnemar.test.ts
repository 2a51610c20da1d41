import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import { mcnemar } from './mcnemar.ts'

const count = fc.integer({ min: 0, max: 400 })

describe('mcnemar', () => {
  it('agrees with exact rationals to 1e-14', () => {
    for (const v of golden<{ b: number; c: number; p: number; midP: number }>('mcnemar')) {
      const { p, midP, discordant } = mcnemar(v.b, v.c)
      expectClose(p, v.p, 1e-14, `p of ${v.b}, ${v.c}`)
      expectClose(midP, v.midP, 1e-14, `mid-p of ${v.b}, ${v.c}`)
      expect(discordant).toBe(v.b + v.c)
    }
  })

  it('does not care who is A and who is B', () => {
    fc.assert(
      fc.property(count, count, (b, c) => {
        expect(mcnemar(b, c)).toEqual(mcnemar(c, b))
      }),
    )
  })

  it('has a mid-p below the exact p, by half of what is as extreme as the data', () => {
    fc.assert(
      fc.property(count, count, (b, c) => {
        fc.pre(b + c > 0)
        const { p, midP } = mcnemar(b, c)
        expect(midP).toBeLessThan(p)
        expect(p).toBeLessThanOrEqual(1)
        expect(midP).toBeGreaterThan(0)
      }),
    )
  })

  it('answers 1 where nobody disagrees', () => {
    expect(mcnemar(0, 0)).toEqual({ p: 1, midP: 1, discordant: 0 })
  })

  it('refuses what is not a count', () => {
    expect(() => mcnemar(-1, 2)).toThrow('b must be')
    expect(() => mcnemar(1, 2.5)).toThrow('c must be')
  })
})
