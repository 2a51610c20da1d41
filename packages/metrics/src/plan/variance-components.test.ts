import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import { type CaseSums, varianceComponents } from './variance-components.ts'

interface Vector {
  cases: CaseSums[]
  within: number | null
  msb: number | null
  n0: number | null
  between: number | null
  icc: number | null
  deff: number | null
}

function expectSame(actual: number | null, expected: number | null, relative: number, at: string) {
  if (actual === null || expected === null) expect(actual, at).toBe(expected)
  else expectClose(actual, expected, relative, at)
}

const passFail = fc
  .integer({ min: 1, max: 10 })
  .chain((n) => fc.integer({ min: 0, max: n }).map((c) => ({ n, sum: c, sumSq: c })))

describe('varianceComponents', () => {
  it('agrees with exact rationals from the raw trials', () => {
    for (const [i, v] of golden<Vector>('variance-components').entries()) {
      const result = varianceComponents(v.cases)
      // For scores near 1023 with a spread below 1, sumSq − sum²/n loses six digits. The other
      // vectors lose none.
      const relative = v.cases.some(({ n, sum }) => sum > 100 * n) ? 1e-8 : 1e-15
      expectSame(result.within, v.within, relative, `within ${i}`)
      expectSame(result.meanSquareBetween, v.msb, relative, `msb ${i}`)
      expectSame(result.effectiveTrials, v.n0, relative, `n0 ${i}`)
      expectSame(result.between, v.between, relative, `between ${i}`)
      expectSame(result.icc, v.icc, relative, `icc ${i}`)
      expectSame(result.designEffect, v.deff, relative, `design effect ${i}`)
      expect(result.cases).toBe(v.cases.length)
    }
  })

  it('keeps shares within [0, 1] and design effects at 1 or more', () => {
    fc.assert(
      fc.property(fc.array(passFail, { minLength: 1, maxLength: 20 }), (cases) => {
        const { icc, designEffect, between, within } = varianceComponents(cases)
        if (icc === null) {
          expect(designEffect).toBeNull()
          return
        }
        expect(between).toBeGreaterThanOrEqual(0)
        expect(within).toBeGreaterThanOrEqual(0)
        expect(icc).toBeGreaterThanOrEqual(0)
        expect(icc).toBeLessThanOrEqual(1)
        expect(designEffect).toBeGreaterThanOrEqual(1)
      }),
    )
  })

  it('takes rounding in the sums of equal scores for what it is', () => {
    const even = { n: 3, sum: 0.7 + 0.7 + 0.7, sumSq: 3 * 0.7 * 0.7 }
    expect(varianceComponents([even, even])).toMatchObject({ within: 0, between: 0, icc: null })
  })

  it('clips a negative variance between cases to 0', () => {
    const mixed = { n: 4, sum: 2, sumSq: 2 }
    expect(varianceComponents([mixed, mixed, mixed])).toMatchObject({
      between: 0,
      icc: 0,
      designEffect: 1,
    })
  })

  it('refuses sums that no scores can have', () => {
    expect(() => varianceComponents([])).toThrow('cases must not be empty')
    expect(() => varianceComponents([{ n: 0, sum: 0, sumSq: 0 }])).toThrow('n must be')
    expect(() => varianceComponents([{ n: 2, sum: 2, sumSq: 1 }])).toThrow(
      'sumSq must be at least sum²/n, got 1 for a sum of 2 over 2 trials',
    )
    expect(() => varianceComponents([{ n: 2, sum: Number.NaN, sumSq: 1 }])).toThrow('sum must be')
    expect(() => varianceComponents([{ n: 2, sum: 1, sumSq: -1 }])).toThrow('sumSq must be')
  })
})
