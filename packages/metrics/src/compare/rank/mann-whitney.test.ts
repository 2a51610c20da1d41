import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../../test/golden.ts'
import { mannWhitneyU } from './mann-whitney.ts'

interface Vector {
  x: number[]
  y: number[]
  u: number
  method: string
  twoSided: number
  less: number
  greater: number
}

const sample = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 12 })

const stretch = (values: readonly number[]) => values.map((v) => Math.exp(v))

describe('mannWhitneyU', () => {
  it('agrees with all choices, ties included, and with scipy where it is large', () => {
    for (const [i, v] of golden<Vector>('mann-whitney').entries())
      for (const side of ['twoSided', 'less', 'greater'] as const) {
        const test = mannWhitneyU(v.x, v.y, side)
        expect(test.method, `samples ${i}`).toBe(v.method)
        expect(test.u).toBe(v.u)
        expectClose(
          test.p,
          v[side],
          v.method === 'exact' ? 1e-15 : 1e-13,
          `${side} of samples ${i}`,
        )
      }
  })

  it('mirrors when the samples change places', () => {
    fc.assert(
      fc.property(sample, sample, (x, y) => {
        const test = mannWhitneyU(x, y, 'greater')
        const mirrored = mannWhitneyU(y, x, 'less')
        expectClose(mirrored.p, test.p, 1e-14)
        expectClose(mannWhitneyU(y, x).p, mannWhitneyU(x, y).p, 1e-14)
        expect(mirrored.u + test.u).toBe(x.length * y.length)
        expectClose(mirrored.superiority + test.superiority, 1, 1e-15)
      }),
    )
  })

  it('sees only the order of the values', () => {
    fc.assert(
      fc.property(sample, sample, (x, y) => {
        expect(mannWhitneyU(stretch(x), stretch(y))).toEqual(mannWhitneyU(x, y))
      }),
    )
  })

  it('counts the pairs', () => {
    fc.assert(
      fc.property(sample, sample, (x, y) => {
        let pairs = 0
        for (const a of x) for (const b of y) pairs += a > b ? 1 : a === b ? 0.5 : 0
        expect(mannWhitneyU(x, y).u).toBe(pairs)
      }),
    )
  })

  it('answers 1 where all values are equal', () => {
    expect(mannWhitneyU([1, 1], [1, 1, 1], 'less')).toMatchObject({ p: 1, superiority: 0.5 })
  })

  it('refuses what is not two samples', () => {
    expect(() => mannWhitneyU([], [1])).toThrow('x must not be empty')
    expect(() => mannWhitneyU([1], [])).toThrow('y must not be empty')
    expect(() => mannWhitneyU([1], [Number.NaN])).toThrow('y must be')
  })
})
