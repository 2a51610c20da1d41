import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import { clusteredSE } from './clustered-se.ts'

describe('clusteredSE', () => {
  it('agrees with the cluster-robust regression of statsmodels', () => {
    for (const v of golden<{
      values: number[]
      groups: number[]
      mean: number
      se: number
      df: number
    }>('clustered-se')) {
      const { mean, se, df } = clusteredSE(v.values, v.groups)
      expectClose(mean, v.mean, 1e-14, `mean of ${v.values.length}`)
      // The expected values from statsmodels are less accurate if the values are far from 0.
      expectClose(se, v.se, v.mean > 1e5 ? 1e-8 : 1e-12, `se of ${v.values.length}`)
      expect(df).toBe(v.df)
    }
  })

  it('is sd/√n when every value is its own group', () => {
    expectClose(clusteredSE([1, 2, 4], ['a', 'b', 'c']).se, Math.sqrt(7 / 3 / 3), 1e-15)
  })

  it('does not shrink when every case is doubled within its group', () => {
    const values = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), {
      minLength: 2,
      maxLength: 20,
    })
    fc.assert(
      fc.property(values, (list) => {
        const groups = list.map((_, i) => i)
        const once = clusteredSE(list, groups).se
        const twice = clusteredSE([...list, ...list], [...groups, ...groups]).se
        expect(Math.abs(once - twice)).toBeLessThanOrEqual(1e-14)
      }),
    )
  })

  it('refuses one group, lists of unequal length, and what is not a number', () => {
    expect(() => clusteredSE([1, 2], ['a', 'a'])).toThrow('at least 2 groups')
    expect(() => clusteredSE([1, 2], ['a'])).toThrow('same length')
    expect(() => clusteredSE([], [])).toThrow('values must not be empty')
    expect(() => clusteredSE([1, Number.NaN], ['a', 'b'])).toThrow('values must be')
  })
})
