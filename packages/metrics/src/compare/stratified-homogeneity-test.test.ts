import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import type { CaseCounts } from '../metric.ts'
import { stratifiedHomogeneityTest } from './stratified-homogeneity-test.ts'

interface Vector {
  strata: CaseCounts[][]
  statistic: number
  df: number
  p: number
  informative: number
}

describe('stratifiedHomogeneityTest', () => {
  it("agrees with R's generalised mantelhaen.test", () => {
    for (const [i, v] of golden<Vector>('stratified-homogeneity').entries()) {
      const { statistic, df, p, informative } = stratifiedHomogeneityTest(v.strata)
      expectClose(statistic, v.statistic, 1e-13, `statistic of suite ${i}`)
      expectClose(p, v.p, 1e-13, `p of suite ${i}`)
      expect({ df, informative }).toEqual({ df: v.df, informative: v.informative })
    }
  })

  it('does not depend on which subject comes last', () => {
    for (const v of golden<Vector>('stratified-homogeneity')) {
      const { statistic } = stratifiedHomogeneityTest(v.strata)
      const rotated = v.strata.map((stratum) => stratum.slice(1).concat(stratum.slice(0, 1)))
      expectClose(stratifiedHomogeneityTest(rotated).statistic, statistic, 1e-10)
    }
  })

  it('loses a degree of freedom for a subject that never ran', () => {
    const two = [
      [
        { n: 5, c: 5 },
        { n: 5, c: 2 },
      ],
      [
        { n: 5, c: 4 },
        { n: 5, c: 1 },
      ],
    ]
    const test = stratifiedHomogeneityTest(two)
    for (const place of [0, 1, 2]) {
      const three = two.map((stratum) => stratum.toSpliced(place, 0, { n: 0, c: 0 }))
      const same = stratifiedHomogeneityTest(three)
      expect(same.df).toBe(1)
      expectClose(same.statistic, test.statistic, 1e-13)
    }
  })

  it('answers 1 with no degrees of freedom where no case can tell', () => {
    expect(
      stratifiedHomogeneityTest([
        [
          { n: 3, c: 3 },
          { n: 3, c: 3 },
        ],
      ]),
    ).toEqual({
      statistic: 0,
      df: 0,
      p: 1,
      informative: 0,
    })
  })

  it('refuses what is not a table of counts', () => {
    expect(() => stratifiedHomogeneityTest([])).toThrow('strata must not be empty')
    expect(() => stratifiedHomogeneityTest([[{ n: 3, c: 3 }]])).toThrow(
      'subjects must have at least 2',
    )
    expect(() =>
      stratifiedHomogeneityTest([
        [
          { n: 3, c: 3 },
          { n: 3, c: 3 },
        ],
        [{ n: 3, c: 3 }],
      ]),
    ).toThrow('same length')
    expect(() =>
      stratifiedHomogeneityTest([
        [
          { n: 3, c: 4 },
          { n: 3, c: 3 },
        ],
      ]),
    ).toThrow('c must be')
  })
})
