import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import { passAtK, passAtKNaive } from './pass-at-k.ts'

const counts = (most: number) =>
  fc
    .integer({ min: 1, max: most })
    .chain((n) =>
      fc.tuple(fc.constant(n), fc.integer({ min: 0, max: n }), fc.integer({ min: 1, max: n })),
    )

describe('passAtK', () => {
  it('agrees with exact rationals to 1e-15 up to n = 9e15', () => {
    for (const v of golden<{ n: number; c: number; k: number; passAtK: number }>('pass-at-k'))
      expectClose(passAtK(v.n, v.c, v.k), v.passAtK, 1e-15, `pass@${v.k} of ${v.c}/${v.n}`)
  })

  it('gives the documented example: 3 of 5 at k = 5 is certain', () => {
    expect(passAtK(5, 3, 5)).toBe(1)
  })

  it('keeps its digits where log-gamma and the product lose them', () => {
    expectClose(passAtK(10 ** 6, 1, 10), 1e-5, 1e-14)
    expectClose(passAtK(10 ** 12, 7, 5), 3.499999999958e-11, 1e-14)
  })

  it('is exactly c/n at k = 1', () => {
    fc.assert(fc.property(counts(1e9), ([n, c]) => passAtK(n, c, 1) === c / n))
  })

  it('never falls as k or c grows', () => {
    fc.assert(
      fc.property(counts(400), ([n, c, k]) => {
        const value = passAtK(n, c, k)
        expect(value).toBeGreaterThanOrEqual(0)
        expect(value).toBeLessThanOrEqual(1)
        if (k < n) expect(passAtK(n, c, k + 1)).toBeGreaterThanOrEqual(value * (1 - 1e-15))
        if (c < n) expect(passAtK(n, c + 1, k)).toBeGreaterThanOrEqual(value * (1 - 1e-15))
      }),
    )
  })

  it('is symmetric in c and k, as drawing either set first is the same draw', () => {
    fc.assert(
      fc.property(counts(5000), ([n, c, k]) => {
        if (c > 0) expectClose(passAtK(n, c, k), passAtK(n, k, c), 4e-16)
      }),
    )
  })

  it('refuses k above n instead of answering 1', () => {
    expect(() => passAtK(5, 0, 10)).toThrow(
      new RangeError('k must be an integer from 0 to 5, got 10'),
    )
  })

  it.each([
    [0, 0, 0, 'n must be'],
    [5, 6, 1, 'c must be'],
    [5, -1, 1, 'c must be'],
    [5, 2.5, 1, 'c must be'],
    [Number.NaN, 0, 0, 'n must be'],
    [5, 2, 1.5, 'k must be'],
    [2 ** 53, 1, 1, 'n must be'],
  ])('refuses n = %s, c = %s, k = %s', (n, c, k, message) => {
    expect(() => passAtK(n, c, k)).toThrow(RangeError)
    expect(() => passAtK(n, c, k)).toThrow(message)
  })

  it('answers 0 for no attempts and for no passes', () => {
    expect(passAtK(5, 3, 0)).toBe(0)
    expect(passAtK(5, 0, 5)).toBe(0)
  })
})

describe('passAtKNaive', () => {
  it.each([
    [0.8, 5, 0.99968],
    [0.5, 1, 0.5],
    [0, 5, 0],
    [1, 5, 1],
    [1, 0, 0],
    [0.3, 5, 0.83193],
    [1e-12, 3, 2.999999999997e-12],
    [3e-15, 10, 2.99999999999996e-14],
  ])('p = %s, k = %s gives %s', (p, k, expected) => {
    expectClose(passAtKNaive(p, k), expected, 1e-14)
  })

  it('refuses what is not a probability', () => {
    expect(() => passAtKNaive(1.2, 3)).toThrow('perTrialPassRate must be')
    expect(() => passAtKNaive(Number.NaN, 3)).toThrow(RangeError)
    expect(() => passAtKNaive(0.5, -1)).toThrow('k must be')
  })
})
