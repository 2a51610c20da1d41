/**
 * The power of the test of tiers next to that of Friedman's test, whose p-values scipy computed on the same simulated
 * suites. Three tiers, of which one is 10 points better, or none.
 */
import { describe, expect, it } from 'vitest'
import { golden } from '../../test/golden.ts'
import { kruskalWallis } from '../compare/rank/kruskal-wallis.ts'
import { stratifiedMeanTest } from '../compare/stratified-mean-test.ts'

interface Suites {
  readonly cases: number
  readonly trials: number
  readonly tiers: number
  readonly change: number
  /** The share of suites in which scipy's Friedman test has p at most 0.05. */
  readonly friedman: number
  readonly suites: readonly string[]
}

/** passes[tier][case] of one suite. */
const passesOf = (suite: string, { cases, tiers }: Suites): number[][] =>
  Array.from({ length: tiers }, (_, tier) =>
    Array.from(suite.slice(tier * cases, (tier + 1) * cases), (digit) =>
      Number.parseInt(digit, 36),
    ),
  )

const share = (of: Suites, rejects: (passes: readonly number[][]) => boolean): number =>
  of.suites.filter((suite) => rejects(passesOf(suite, of))).length / of.suites.length

describe('the test of tiers', () => {
  it.each(golden<Suites>('omnibus-power'))(
    'finds at least what Friedman’s test finds, at $cases×$trials and a change of $change',
    (of) => {
      const stratified = share(of, (passes) => {
        const strata = (passes[0] ?? []).map((_, i) =>
          passes.map((tier) => {
            const c = tier[i] as number
            return { n: of.trials, sum: c, sumSq: c }
          }),
        )
        return stratifiedMeanTest(strata).p <= 0.05
      })
      const ranked = share(of, (passes) => kruskalWallis(passes).p <= 0.05)
      console.log(
        `${of.cases}×${of.trials}, +${of.change}: stratified ${stratified.toFixed(3)}, Friedman (scipy) ${of.friedman.toFixed(3)}, Kruskal-Wallis ${ranked.toFixed(3)}`,
      )
      const noise = 2 * Math.sqrt((0.05 * 0.95) / of.suites.length)
      if (of.change === 0) expect(stratified).toBeLessThanOrEqual(0.05 + noise)
      else {
        expect(stratified).toBeGreaterThanOrEqual(of.friedman)
        expect(ranked).toBeLessThan(of.friedman)
      }
    },
  )
})
