import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import { random } from '../resample/random.ts'
import { stratifiedHomogeneityTest } from './stratified-homogeneity-test.ts'
import { stratifiedMeanTest, stratifiedPermutationTest } from './stratified-mean-test.ts'

interface Vector {
  strata: number[][][]
  statistic: number
  df: number
  chiSquareP: number
  exactP: number | null
  informative: number
}

const VECTORS = golden<Vector>('stratified-mean')

const sumsOf = (strata: readonly (readonly (readonly number[])[])[]) =>
  strata.map((stratum) =>
    stratum.map((scores) => ({
      n: scores.length,
      sum: scores.reduce((total, score) => total + score, 0),
      sumSq: scores.reduce((total, score) => total + score * score, 0),
    })),
  )

describe('stratifiedMeanTest', () => {
  it('has the statistic and degrees of freedom of exact rationals', () => {
    for (const [i, v] of VECTORS.entries()) {
      const { statistic, df, p, informative } = stratifiedMeanTest(sumsOf(v.strata))
      expectClose(statistic, v.statistic, 1e-12, `statistic of suite ${i}`)
      expectClose(p, v.chiSquareP, 1e-11, `p of suite ${i}`)
      expect({ df, informative }).toEqual({ df: v.df, informative: v.informative })
    }
  })

  it('has a permutation p-value close to that of all arrangements', () => {
    const listed = VECTORS.filter(({ exactP }) => exactP !== null)
    expect(listed.length).toBeGreaterThan(2)
    for (const v of listed) {
      const exact = v.exactP as number
      const { p, statistic } = stratifiedPermutationTest(v.strata, 3)
      expectClose(statistic, v.statistic, 1e-12)
      // Four standard errors of a share of 9,999 random re-assignments.
      expect(Math.abs(p - exact)).toBeLessThan(4 * Math.sqrt((exact * (1 - exact)) / 9999) + 2e-4)
    }
  })

  it('gives the same p-value for the same seed', () => {
    const { strata } = VECTORS[0] as Vector
    expect(stratifiedPermutationTest(strata, 5)).toEqual(stratifiedPermutationTest(strata, 5))
  })

  it('equals the test of passes where scores are 0 or 1', () => {
    const counts = [
      [5, 2, 1],
      [4, 1, 0],
      [5, 5, 5],
    ]
    const of = (c: number) => Array.from({ length: 5 }, (_, i) => (i < c ? 1 : 0))
    const scores = stratifiedMeanTest(sumsOf(counts.map((stratum) => stratum.map(of))))
    const passes = stratifiedHomogeneityTest(
      counts.map((stratum) => stratum.map((c) => ({ n: 5, c }))),
    )
    expectClose(scores.statistic, passes.statistic, 1e-12)
    expect(scores.informative).toBe(2)
  })

  it('ignores cases that only one subject tried', () => {
    const strata = [
      [[0.2, 0.4], [0.9]],
      [[0.1], [0.8, 0.7]],
    ]
    const more = [...strata, [[0.1, 0.9], []], [[], [0.3, 0.6]]]
    expect(stratifiedMeanTest(sumsOf(more))).toEqual(stratifiedMeanTest(sumsOf(strata)))
    expect(stratifiedPermutationTest(more, 1)).toEqual(stratifiedPermutationTest(strata, 1))
  })

  it('rejects in at most 5 % of suites without a difference, also small and unequal ones', () => {
    const next = random(11)
    const suite = (cases: number, sizes: readonly number[], shift: number) =>
      Array.from({ length: cases }, () => {
        const centre = next()
        return sizes.map((n, subject) =>
          Array.from({ length: n }, () => {
            const score = centre + shift * subject + 0.3 * (next() - 0.5)
            return Math.round(10 * Math.min(1, Math.max(0, score))) / 10
          }),
        )
      })
    const rejected = (runs: number, test: (run: number) => number) =>
      Array.from({ length: runs }, (_, run) => test(run)).filter((p) => p <= 0.05).length / runs
    const most = (runs: number) => 0.05 + 3 * Math.sqrt((0.05 * 0.95) / runs)
    const small = (run: number) => stratifiedPermutationTest(suite(4, [2, 3], 0), run).p
    const large = (shift: number) => () =>
      stratifiedMeanTest(sumsOf(suite(60, [2, 10, 5], shift))).p
    expect(rejected(120, small)).toBeLessThanOrEqual(most(120))
    expect(rejected(1000, large(0))).toBeLessThanOrEqual(most(1000))
    expect(rejected(100, large(0.04))).toBeGreaterThan(0.9)
  })

  it('answers 1 with no degrees of freedom where no case can tell', () => {
    const none = { statistic: 0, df: 0, p: 1, informative: 0 }
    expect(stratifiedMeanTest(sumsOf([[[0.7, 0.7], [0.7]]]))).toEqual(none)
    expect(stratifiedPermutationTest([[[0.7, 0.7], [0.7]]], 1)).toEqual(none)
  })

  it('refuses what is not a table of scores', () => {
    expect(() => stratifiedMeanTest([])).toThrow('strata must not be empty')
    expect(() => stratifiedPermutationTest([[[1]]], 1)).toThrow('subjects must have at least 2')
    expect(() => stratifiedPermutationTest([[[1], [2]], [[1]]], 1)).toThrow('same length')
    expect(() => stratifiedPermutationTest([[[Number.NaN], [2]]], 1)).toThrow('score must be')
    const impossible = { n: 2, sum: 2, sumSq: 1 }
    expect(() => stratifiedMeanTest([[impossible, impossible]])).toThrow('sumSq must be')
  })
})
