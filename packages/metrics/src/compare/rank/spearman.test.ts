import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../../test/golden.ts'
import { spearman } from './spearman.ts'

interface Vector {
  x: number[]
  y: number[]
  rho: number
  method: string
  twoSided: number
  less: number
  greater: number
}

const pairs = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 7 }), fc.integer({ min: 0, max: 7 })), {
    minLength: 2,
    maxLength: 16,
  })
  .map((list) => ({ x: list.map(([x]) => x), y: list.map(([, y]) => y) }))

describe('spearman', () => {
  it('agrees with all orders up to ten pairs and with scipy beyond', () => {
    for (const [i, v] of golden<Vector>('spearman').entries())
      for (const side of ['twoSided', 'less', 'greater'] as const) {
        const { rho, p, method } = spearman(v.x, v.y, side)
        expect(method).toBe(v.method)
        expectClose(rho as number, v.rho, 1e-15, `rho of pairs ${i}`)
        expectClose(
          p as number,
          v[side],
          method === 'exact' ? 1e-15 : 1e-13,
          `${side} of pairs ${i}`,
        )
      }
  })

  it('is symmetric, and changes sign when one order is reversed', () => {
    fc.assert(
      fc.property(pairs, ({ x, y }) => {
        const { rho, p } = spearman(x, y)
        const swapped = spearman(y, x)
        const reversed = spearman(
          x,
          y.map((v) => -v),
        )
        if (rho === null) {
          expect(swapped.rho ?? reversed.rho).toBeNull()
          return
        }
        expectClose(swapped.rho as number, rho, 1e-15)
        expectClose(swapped.p as number, p as number, 1e-13)
        expect((reversed.rho as number) + rho).toBe(0)
        expectClose(reversed.p as number, p as number, 1e-13)
        expect(Math.abs(rho)).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('is 1 for the same order, whatever the distances', () => {
    const x = Array.from({ length: 15 }, (_, i) => i)
    expect(
      spearman(
        x,
        x.map((v) => Math.exp(v)),
        'greater',
      ),
    ).toMatchObject({ rho: 1, p: expect.closeTo(1 / 1_307_674_368_000, 20) as number })
    expect(
      spearman(
        x,
        x.map((v) => -v),
        'greater',
      ),
    ).toMatchObject({ rho: -1, p: 1 })
    expect(spearman(x, x, 'less').p).toBe(1)
  })

  it('has no answer where one of the two never varies', () => {
    expect(spearman([1, 1, 1], [1, 2, 3])).toMatchObject({ rho: null, p: null, n: 3 })
    expect(spearman([1, 2, 3], [5, 5, 5])).toMatchObject({ rho: null, p: null })
  })

  it('refuses lists that do not belong together', () => {
    expect(() => spearman([1, 2], [1, 2, 3])).toThrow('x and y must have the same length')
    expect(() => spearman([1], [1])).toThrow('x must have at least 2 members')
    expect(() => spearman([1, 2], [1, Number.NaN])).toThrow('y must be')
    expect(() => spearman([1, Infinity], [1, 2])).toThrow('x must be')
  })
})
