import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import { incompleteBeta, incompleteBetaUpper, inverseIncompleteBeta } from './incomplete-beta.ts'

/** The rounding error of L, a few ulps of L, becomes a relative error of the tail e^−L. */
const tolerance = (tail: number): number => 1e-14 + 6e-16 * Math.abs(Math.log(tail))

const shape = fc.double({ min: -3, max: 8, noNaN: true }).map((power) => 10 ** power)
const unit = fc.double({ min: 0, max: 1, noNaN: true })

describe('incompleteBeta and incompleteBetaUpper', () => {
  it('agree with mpmath in both tails, from shapes of 0.001 to 1e12 and down to 1e-300', () => {
    for (const v of golden<{ x: number; a: number; b: number; lower: number; upper: number }>(
      'incomplete-beta',
    )) {
      const at = `at ${v.x}, shapes ${v.a} and ${v.b}`
      expectClose(incompleteBeta(v.x, v.a, v.b), v.lower, tolerance(v.lower), `lower ${at}`)
      expectClose(incompleteBetaUpper(v.x, v.a, v.b), v.upper, tolerance(v.upper), `upper ${at}`)
    }
  })

  it('add up to 1 and stay in [0, 1]', () => {
    fc.assert(
      fc.property(unit, shape, shape, (x, a, b) => {
        const lower = incompleteBeta(x, a, b)
        const upper = incompleteBetaUpper(x, a, b)
        expect(Math.min(lower, upper)).toBeGreaterThanOrEqual(0)
        expect(Math.abs(lower + upper - 1)).toBeLessThanOrEqual(1e-14)
      }),
    )
  })

  it('is the binomial tail: P(X ≥ 3), X of 5 fair coins, is 1/2', () => {
    expectClose(incompleteBeta(0.5, 3, 3), 0.5, 1e-15)
    expectClose(incompleteBeta(0.5, 2, 3), 11 / 16, 1e-15)
  })

  it('reaches 0 and 1 at the ends', () => {
    expect(incompleteBeta(0, 2, 3)).toBe(0)
    expect(incompleteBeta(1, 2, 3)).toBe(1)
    expect(incompleteBetaUpper(0, 2, 3)).toBe(1)
    expect(incompleteBetaUpper(1, 2, 3)).toBe(0)
  })

  it('is 0 and 1, not NaN, at points whose square or inverse is beyond the doubles', () => {
    for (const x of [5e-324, 1e-310, 1e-200])
      for (const [a, b] of [
        [3500, 4000],
        [1e8, 5e3],
        [5e3, 1e8],
      ] as const) {
        expect(incompleteBeta(x, a, b)).toBe(0)
        expect(incompleteBetaUpper(x, a, b)).toBe(1)
      }
  })

  it('refuses points outside [0, 1] and shapes that are not positive', () => {
    expect(() => incompleteBeta(1.1, 1, 1)).toThrow('x must be')
    expect(() => incompleteBeta(0.5, 0, 1)).toThrow('a must be')
    expect(() => incompleteBetaUpper(0.5, 1, Number.NaN)).toThrow('b must be')
  })
})

describe('inverseIncompleteBeta', () => {
  it('agrees with mpmath, shapes of 0.001 to 1e12, p from 1e-300 to 1 − 1e-16', () => {
    for (const v of golden<{ p: number; a: number; b: number; x: number }>(
      'inverse-incomplete-beta',
    )) {
      // If the smaller parameter is below 1, the relative error of x is that of p divided by it.
      const allowed = tolerance(v.p) / Math.min(1, 3 * v.a, 3 * v.b)
      expectClose(inverseIncompleteBeta(v.p, v.a, v.b), v.x, allowed, JSON.stringify(v))
    }
  })

  it('undoes incompleteBeta', () => {
    const p = fc.double({ min: -280, max: 0, noNaN: true }).map((power) => 10 ** power / 2)
    fc.assert(
      fc.property(p, shape, shape, (tail, a, b) => {
        const x = inverseIncompleteBeta(tail, a, b)
        // Skip an x that is too small for a double, or so close to 1 that a double is too coarse.
        if (x < 1e-300 || x > 0.9) return
        // An error of one ulp in x changes the tail by up to √(a + b) ulps.
        const allowed = 1e-12 + 1e-14 * Math.sqrt(a + b)
        expectClose(incompleteBeta(x, a, b), tail, allowed, `${tail}, ${a}, ${b}`)
      }),
    )
  })

  it('never falls with p', () => {
    fc.assert(
      fc.property(unit, unit, shape, shape, (p, q, a, b) => {
        const low = inverseIncompleteBeta(Math.min(p, q), a, b)
        const high = inverseIncompleteBeta(Math.max(p, q), a, b)
        expect(high).toBeGreaterThanOrEqual(low * (1 - 1e-11))
      }),
    )
  })

  it('answers 0 and 1 where x is beyond the doubles', () => {
    expect(inverseIncompleteBeta(0, 2, 3)).toBe(0)
    expect(inverseIncompleteBeta(1, 2, 3)).toBe(1)
    expect(inverseIncompleteBeta(1e-10, 0.001, 1)).toBe(0)
    expect(inverseIncompleteBeta(1 - 1e-10, 1, 0.001)).toBe(1)
    expect(inverseIncompleteBeta(0.4, 1e3, 1e-3)).toBe(1)
  })

  it('refuses what is not a probability', () => {
    expect(() => inverseIncompleteBeta(-0.1, 1, 1)).toThrow('p must be')
    expect(() => inverseIncompleteBeta(0.5, 1, -1)).toThrow('b must be')
  })
})
