import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import { passAtK } from './pass-at-k.ts'
import { passHatKUnbiased, passToTheK } from './pass-hat-k.ts'

const trial = fc
  .integer({ min: 1, max: 300 })
  .chain((n) =>
    fc.tuple(fc.constant(n), fc.integer({ min: 0, max: n }), fc.integer({ min: 1, max: n })),
  )

describe('passHatKUnbiased', () => {
  it('agrees with exact rationals to 1e-14 up to n = 9e15', () => {
    for (const v of golden<{ n: number; c: number; k: number; passHatK: number }>('pass-at-k'))
      expectClose(
        passHatKUnbiased(v.n, v.c, v.k),
        v.passHatK,
        1e-14,
        `pass^${v.k} of ${v.c}/${v.n}`,
      )
  })

  it('stays at or below pass@1, which stays at or below pass@k', () => {
    fc.assert(
      fc.property(trial, ([n, c, k]) => {
        expect(passHatKUnbiased(n, c, k)).toBeLessThanOrEqual(c / n)
        expect(passAtK(n, c, k)).toBeGreaterThanOrEqual(c / n)
      }),
    )
  })

  it('mirrors pass@k: all k pass exactly when none of k fails', () => {
    fc.assert(
      fc.property(trial, ([n, c, k]) => {
        expect(passHatKUnbiased(n, c, k)).toBeCloseTo(1 - passAtK(n, n - c, k), 13)
      }),
    )
  })

  it('is unbiased where p^k is not: its mean over all outcomes of n trials is the true p^k', () => {
    const [n, k, p] = [5, 5, 0.5]
    const chance = [1, 5, 10, 10, 5, 1].map((ways) => ways / 32)
    const average = (f: (c: number) => number) =>
      chance.reduce((sum, weight, c) => sum + weight * f(c), 0)
    expect(average((c) => passHatKUnbiased(n, c, k))).toBeCloseTo(p ** k, 15)
    expect(average((c) => passToTheK(c / n, k))).toBeCloseTo(0.11, 12)
  })

  it('refuses k above n, where no unbiased estimate exists', () => {
    expect(() => passHatKUnbiased(4, 3, 5)).toThrow('k must be an integer from 0 to 4, got 5')
  })
})

describe('passToTheK', () => {
  it('is 1 for no trials and keeps certainty', () => {
    expect([passToTheK(0, 0), passToTheK(1, 50), passToTheK(0, 5)]).toEqual([1, 1, 0])
  })

  it('refuses rates outside [0, 1] and fractional k', () => {
    expect(() => passToTheK(-0.1, 2)).toThrow('perTrialPassRate must be')
    expect(() => passToTheK(0.5, 2.5)).toThrow('k must be')
  })
})
