import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import { normalCdf, normalQuantile, normalSf } from './normal.ts'

interface Vector {
  readonly z?: number
  readonly cdf?: number
  readonly sf?: number
  readonly p?: number
  readonly quantile?: number
}

const vectors = golden<Vector>('normal')

describe('normalCdf and normalSf', () => {
  it('agree with mpmath to 5e-16 in both tails, down to 1e-316', () => {
    for (const { z, cdf, sf } of vectors) {
      if (z === undefined || cdf === undefined || sf === undefined) continue
      // Doubles below about 1e-308 are subnormal and have fewer digits.
      expectClose(normalCdf(z), cdf, cdf < 1e-307 ? 1e-7 : 5e-16, `Φ(${z})`)
      expectClose(normalSf(z), sf, sf < 1e-307 ? 1e-7 : 5e-16, `1 − Φ(${z})`)
    }
  })

  it('never rise with z in the upper tail and mirror each other', () => {
    const point = fc.double({ min: -40, max: 40, noNaN: true })
    fc.assert(
      fc.property(point, point, (u, v) => {
        expect(normalSf(Math.max(u, v))).toBeLessThanOrEqual(normalSf(Math.min(u, v)) * (1 + 4e-16))
        expect(normalCdf(u)).toBe(normalSf(-u))
      }),
    )
  })

  it('refuse what is not a number', () => {
    expect(() => normalSf(Number.NaN)).toThrow('z must be a finite number')
    expect(() => normalCdf(Infinity)).toThrow(RangeError)
  })
})

describe('normalQuantile', () => {
  it('agrees with mpmath to 5e-16 from the smallest double to the largest below 1', () => {
    for (const { p, quantile } of vectors) {
      if (p === undefined || quantile === undefined) continue
      expectClose(normalQuantile(p), quantile, 5e-16, `quantile of ${p}`)
    }
  })

  it('undoes normalCdf', () => {
    fc.assert(
      fc.property(fc.double({ min: -37, max: 0, noNaN: true }), (z) => {
        expect(Math.abs(normalQuantile(normalCdf(z)) - z)).toBeLessThanOrEqual(2e-15 * (1 - z))
      }),
    )
  })

  it.each([0, 1, -0.1, Number.NaN])('refuses %s', (p) => {
    expect(() => normalQuantile(p)).toThrow('p must be strictly between 0 and 1')
  })
})
