import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../../test/golden.ts'
import { kruskalWallis } from './kruskal-wallis.ts'

const group = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 10 })
const groups = fc.array(group, { minLength: 2, maxLength: 6 })

describe('kruskalWallis', () => {
  it('agrees with scipy', () => {
    for (const [i, v] of golden<{ groups: number[][]; h: number; p: number }>(
      'kruskal-wallis',
    ).entries()) {
      const { h, p, df } = kruskalWallis(v.groups)
      expectClose(h, v.h, 2e-13, `h of groups ${i}`)
      expectClose(p, v.p, 1e-13, `p of groups ${i}`)
      expect(df).toBe(v.groups.length - 1)
    }
  })

  it('does not depend on the order of the groups nor on the scale', () => {
    fc.assert(
      fc.property(groups, (list) => {
        const { p } = kruskalWallis(list)
        expectClose(kruskalWallis(list.toReversed()).p, p, 1e-12)
        expectClose(kruskalWallis(list.map((g) => g.map((v) => v ** 3 - 5))).p, p, 1e-12)
        expect(p).toBeGreaterThan(0)
        expect(p).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('answers 1 where all values are equal', () => {
    expect(kruskalWallis([[2, 2], [2], [2]])).toEqual({ h: 0, df: 2, p: 1 })
  })

  it('refuses fewer than two groups, empty ones and NaN', () => {
    expect(() => kruskalWallis([[1, 2]])).toThrow('groups must have at least 2 members')
    expect(() => kruskalWallis([[1], []])).toThrow('group must not be empty')
    expect(() => kruskalWallis([[1], [Number.NaN]])).toThrow('group must be')
  })
})
