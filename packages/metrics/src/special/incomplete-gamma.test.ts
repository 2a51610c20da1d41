import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import { incompleteGamma, incompleteGammaUpper } from './incomplete-gamma.ts'

const tolerance = (tail: number): number => 1e-14 + 6e-16 * Math.abs(Math.log(tail))

describe('incompleteGamma and incompleteGammaUpper', () => {
  it('agree with mpmath in both tails, from a = 0.001 to 1e12 and down to 1e-300', () => {
    for (const v of golden<{ a: number; x: number; lower: number; upper: number }>(
      'incomplete-gamma',
    )) {
      const at = `at ${v.x}, shape ${v.a}`
      expectClose(incompleteGamma(v.a, v.x), v.lower, tolerance(v.lower), `lower ${at}`)
      expectClose(incompleteGammaUpper(v.a, v.x), v.upper, tolerance(v.upper), `upper ${at}`)
    }
  })

  it('add up to 1', () => {
    const size = fc.double({ min: -3, max: 6, noNaN: true }).map((power) => 10 ** power)
    fc.assert(
      fc.property(size, size, (a, x) => {
        const sum = incompleteGamma(a, x) + incompleteGammaUpper(a, x)
        expect(Math.abs(sum - 1)).toBeLessThanOrEqual(1e-14)
      }),
    )
  })

  it('start at 0 and 1', () => {
    expect(incompleteGamma(2.5, 0)).toBe(0)
    expect(incompleteGammaUpper(2.5, 0)).toBe(1)
  })

  it('are 0 and 1, not NaN, at points whose square or inverse is beyond the doubles', () => {
    for (const x of [5e-324, 1e-310, 1e-200]) {
      expect(incompleteGamma(3500, x)).toBe(0)
      expect(incompleteGammaUpper(3500, x)).toBe(1)
    }
    expect(incompleteGammaUpper(3500, 1e300)).toBe(0)
  })

  it('refuse negative points and shapes that are not positive', () => {
    expect(() => incompleteGamma(0, 1)).toThrow('a must be')
    expect(() => incompleteGammaUpper(1, -1)).toThrow('x must be')
  })
})
