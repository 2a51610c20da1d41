import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import { normalQuantile } from './normal.ts'
import { tCdf, tQuantile, tSf } from './student-t.ts'

interface Vector {
  readonly df: number
  readonly t?: number
  readonly sf?: number
  readonly cdf?: number
  readonly p?: number
  readonly quantile?: number
}

const vectors = golden<Vector>('student-t')
const tolerance = (tail: number): number => 1e-14 + 4e-16 * Math.abs(Math.log(tail))

describe('tSf and tCdf', () => {
  it('agree with mpmath from df = 0.5 to 1e8, up to t = 1e250 and down to 1e-300', () => {
    for (const { df, t, sf, cdf } of vectors) {
      if (t === undefined || sf === undefined || cdf === undefined) continue
      expectClose(tSf(t, df), sf, tolerance(sf), `P(T > ${t}), df ${df}`)
      expectClose(tCdf(t, df), cdf, 1e-14, `P(T ≤ ${t}), df ${df}`)
      expectClose(tCdf(-t, df), sf, tolerance(sf), `P(T ≤ −${t}), df ${df}`)
    }
  })

  it('refuse what is not a number and df ≤ 0', () => {
    expect(() => tSf(Number.NaN, 3)).toThrow('t must be')
    expect(() => tCdf(1, 0)).toThrow('df must be above 0')
  })
})

describe('tQuantile', () => {
  it('agrees with mpmath in the tails and close to the centre', () => {
    for (const { df, p, quantile } of vectors) {
      if (p === undefined || quantile === undefined) continue
      const allowed = tolerance(Math.min(p, 1 - p)) / Math.min(1, df)
      expectClose(tQuantile(p, df), quantile, allowed, `quantile of ${p}, df ${df}`)
    }
  })

  it('becomes the normal quantile as df grows, also where df swamps t²', () => {
    expectClose(tQuantile(0.975, 1e15), normalQuantile(0.975), 1e-14)
    expectClose(tQuantile(1e-300, 1e15), normalQuantile(1e-300), 1e-12)
  })

  it('is odd about p = 1/2', () => {
    expect(tQuantile(0.5, 7)).toBe(0)
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 511 }), (i) => {
        // 1 − i/1024 is exact in binary.
        expect(tQuantile(i / 1024, 5)).toBe(-tQuantile(1 - i / 1024, 5))
      }),
    )
  })

  it.each([0, 1, Number.NaN])('refuses p = %s', (p) => {
    expect(() => tQuantile(p, 3)).toThrow('p must be')
  })
})
