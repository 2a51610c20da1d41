import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../../test/golden.ts'
import { wilcoxonSignedRank, type ZeroRule } from './wilcoxon-signed-rank.ts'

interface Vector {
  differences: number[]
  zeros: ZeroRule
  positive: number
  method: string
  twoSided: number
  less: number
  greater: number
}

const differences = fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 1, maxLength: 30 })

describe('wilcoxonSignedRank', () => {
  it('agrees with all sign patterns, ties and zeros included, and with scipy when large', () => {
    for (const [i, v] of golden<Vector>('signed-rank').entries())
      for (const side of ['twoSided', 'less', 'greater'] as const) {
        const test = wilcoxonSignedRank(v.differences, side, v.zeros)
        expect(test.method, `list ${i}`).toBe(v.method)
        expect(test.positive).toBe(v.positive)
        expectClose(test.p, v[side], v.method === 'exact' ? 1e-15 : 1e-14, `${side} of list ${i}`)
      }
  })

  it('has nearly the same answer on both sides of the switch to the normal form', () => {
    const list = Array.from({ length: 400 }, (_, i) => i - 185.5)
    const exact = wilcoxonSignedRank(list)
    const normal = wilcoxonSignedRank([...list, 1e-3])
    expect([exact.method, normal.method]).toEqual(['exact', 'normal'])
    expectClose(normal.p, exact.p, 0.02)
  })

  it('mirrors when all signs change', () => {
    fc.assert(
      fc.property(differences, (list) => {
        const mirrored = list.map((d) => -d)
        expect(wilcoxonSignedRank(mirrored, 'less').p).toBe(wilcoxonSignedRank(list, 'greater').p)
        expect(wilcoxonSignedRank(mirrored).p).toBe(wilcoxonSignedRank(list).p)
      }),
    )
  })

  it('sees only the order of the sizes', () => {
    fc.assert(
      fc.property(differences, (list) => {
        expect(wilcoxonSignedRank(list.map((d) => d ** 3)).p).toBe(wilcoxonSignedRank(list).p)
      }),
    )
  })

  it('ties differences that are equal but for the rounding of a subtraction', () => {
    const rounded = [0.3 - 0.1, 0.8 - 0.6, -(0.4 - 0.2), 0.9 - 0.7]
    expect(new Set(rounded.map((d) => Math.abs(d))).size).toBeGreaterThan(1)
    expect(wilcoxonSignedRank(rounded)).toEqual(wilcoxonSignedRank([2, 2, -2, 2]))
  })

  it('drops zeros before ranking, or after it as Pratt does', () => {
    expect(wilcoxonSignedRank([0, 1, 2])).toMatchObject({ positive: 3, nonzero: 2 })
    expect(wilcoxonSignedRank([0, 1, 2], 'twoSided', 'pratt')).toMatchObject({
      positive: 5,
      negative: 0,
    })
  })

  it('answers 1 without a difference', () => {
    for (const zeros of ['wilcoxon', 'pratt'] as const)
      expect(wilcoxonSignedRank([0, 0], 'greater', zeros)).toMatchObject({ p: 1, nonzero: 0 })
  })

  it('refuses what is not a list of numbers', () => {
    expect(() => wilcoxonSignedRank([])).toThrow('differences must not be empty')
    expect(() => wilcoxonSignedRank([Number.NaN])).toThrow('differences must be')
    expect(() => wilcoxonSignedRank([1], 'less', 'zsplit' as ZeroRule)).toThrow('zeros must be')
  })
})
