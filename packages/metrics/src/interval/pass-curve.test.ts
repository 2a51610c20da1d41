import { describe, expect, it } from 'vitest'
import { passAtKCurve, passHatKCurve } from './pass-curve.ts'
import { passAtKEstimate, passHatKEstimate } from './pass-estimate.ts'

const cases = [
  { n: 6, c: 4 },
  { n: 4, c: 1 },
  { n: 6, c: 6 },
  { n: 6, c: 0 },
]

const ascending = (a: number, b: number) => a - b

describe('passAtKCurve and passHatKCurve', () => {
  it('are the estimates for k = 1 up to the most trials', () => {
    for (const target of ['population', 'fixed'] as const) {
      const ks = [1, 2, 3, 4, 5, 6]
      expect(passAtKCurve(cases, target, 0.9)).toEqual(
        ks.map((k) => passAtKEstimate(cases, k, target, 0.9)),
      )
      expect(passHatKCurve(cases, target, 0.9)).toEqual(
        ks.map((k) => passHatKEstimate(cases, k, target, 0.9)),
      )
    }
  })

  it('rise and fall with k while the cases stay the same', () => {
    const equal = cases.filter(({ n }) => n === 6)
    const rising = passAtKCurve(equal, 'fixed').map(({ value }) => value ?? Number.NaN)
    const falling = passHatKCurve(equal, 'fixed').map(({ value }) => value ?? Number.NaN)
    expect(rising).toEqual(rising.toSorted(ascending))
    expect(falling).toEqual(falling.toSorted(ascending).toReversed())
  })

  it('are empty without trials', () => {
    expect(passAtKCurve([], 'fixed')).toEqual([])
    expect(passHatKCurve([{ n: 0, c: 0 }], 'population')).toEqual([])
  })

  it('refuse levels that are no levels', () => {
    expect(() => passAtKCurve([], 'fixed', 1)).toThrow('level must be')
  })
})
