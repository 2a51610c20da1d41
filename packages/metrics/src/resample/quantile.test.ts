import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import { quantile } from './quantile.ts'

interface Vector {
  readonly values: readonly number[]
  readonly quantiles: readonly (readonly [p: number, quantile: number])[]
}

describe('quantile', () => {
  it('agrees with numpy', () => {
    for (const { values, quantiles } of golden<Vector>('quantile'))
      for (const [p, expected] of quantiles)
        expectClose(quantile(values, p), expected, 1e-14, `${p} of ${values.length}`)
  })

  it('lies between the ends and rises with p', () => {
    const sorted = fc
      .array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 30 })
      .map((values) => values.toSorted((a, b) => a - b))
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(sorted, share, share, (values, p, q) => {
        const low = quantile(values, Math.min(p, q))
        const high = quantile(values, Math.max(p, q))
        expect(low).toBeLessThanOrEqual(high + 1e-9)
        expect(low).toBeGreaterThanOrEqual((values.at(0) as number) - 1e-9)
        expect(high).toBeLessThanOrEqual((values.at(-1) as number) + 1e-9)
      }),
    )
  })

  it('is infinite next to an infinite value, and only there', () => {
    expect(quantile([1, 2, Infinity], 0.5)).toBe(2)
    expect(quantile([1, 2, Infinity], 0.51)).toBe(Infinity)
    expect(quantile([-Infinity, 2, 3], 0.49)).toBe(-Infinity)
    expect(quantile([Infinity, Infinity], 0.3)).toBe(Infinity)
    expect(() => quantile([-Infinity, Infinity], 0.5)).toThrow('between -Infinity and Infinity')
  })

  it('does not step onto the next value by rounding alone', () => {
    // 0.55 · 100 is 55.00000000000001 in doubles.
    const values = Array.from({ length: 101 }, (_, i) => (i <= 55 ? i : Infinity))
    expect(quantile(values, 0.55)).toBe(55)
  })

  it.each([
    [[], 0.5, 'must not be empty'],
    [[2, 1], 0.5, 'sorted upwards, got 1 after 2'],
    [[1, Number.NaN], 0.5, 'sorted upwards'],
    [[1], 1.1, 'p must be'],
    [[1], Number.NaN, 'p must be'],
  ])('refuses the %s-values with p = %s', (values, p, message) => {
    expect(() => quantile(values, p)).toThrow(RangeError)
    expect(() => quantile(values, p)).toThrow(message)
  })
})
