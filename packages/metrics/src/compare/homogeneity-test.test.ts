import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import type { CaseCounts } from '../metric.ts'
import { fisherExact } from './fisher-exact.ts'
import { homogeneityTest } from './homogeneity-test.ts'

interface Vector {
  groups: CaseCounts[]
  statistic: number
  p: number
  method: string
}

const counts = fc
  .integer({ min: 1, max: 12 })
  .chain((n) => fc.record({ n: fc.constant(n), c: fc.integer({ min: 0, max: n }) }))

describe('homogeneityTest', () => {
  it('agrees with all splits in exact rationals, and with scipy where it is large', () => {
    for (const [i, v] of golden<Vector>('homogeneity-test').entries()) {
      const { statistic, p, method, df } = homogeneityTest(v.groups)
      expect(method, `groups ${i}`).toBe(v.method)
      expectClose(statistic, v.statistic, 1e-13, `statistic of groups ${i}`)
      expectClose(p, v.p, method === 'exact' ? 1e-15 : 1e-13, `p of groups ${i}`)
      expect(df).toBe(v.groups.length - 1)
    }
  })

  it("is Fisher's test for two groups of one size, where both orders agree", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.nat(), fc.nat(), (n, x, y) => {
        const [a, b] = [x % (n + 1), y % (n + 1)]
        const groups = [
          { n, c: a },
          { n, c: b },
        ]
        expectClose(homogeneityTest(groups).p, fisherExact(a, n - a, b, n - b).p, 1e-12)
      }),
    )
  })

  it('does not depend on the order of the groups, nor on which outcome counts as a pass', () => {
    fc.assert(
      fc.property(fc.array(counts, { minLength: 2, maxLength: 5 }), (groups) => {
        const { p, statistic } = homogeneityTest(groups)
        expectClose(homogeneityTest(groups.toReversed()).p, p, 1e-13)
        const failures = homogeneityTest(groups.map(({ n, c }) => ({ n, c: n - c })))
        expectClose(failures.p, p, 1e-12)
        expect(Math.abs(failures.statistic - statistic)).toBeLessThan(
          1e-12 * Math.max(1, statistic),
        )
      }),
    )
  })

  it('falls back to chi-square where counting would take too long', () => {
    const tiers = Array.from({ length: 12 }, (_, i) => ({ n: 20 + (i % 4), c: 5 + i }))
    expect(homogeneityTest(tiers).method).toBe('chiSquare')
    // The least common multiple of these n is too large for a safe integer.
    const primes = [991, 983, 977, 971, 967, 953].map((n) => ({ n, c: 500 }))
    expect(homogeneityTest(primes).method).toBe('chiSquare')
  })

  it('answers 1 where all trials passed or all failed', () => {
    expect(
      homogeneityTest([
        { n: 3, c: 3 },
        { n: 2, c: 2 },
      ]),
    ).toEqual({ statistic: 0, df: 1, p: 1, method: 'exact' })
    expect(
      homogeneityTest([
        { n: 3, c: 0 },
        { n: 2, c: 0 },
      ]).p,
    ).toBe(1)
  })

  it('refuses fewer than two groups and impossible counts', () => {
    expect(() => homogeneityTest([{ n: 3, c: 1 }])).toThrow('groups must have at least 2 members')
    expect(() =>
      homogeneityTest([
        { n: 3, c: 1 },
        { n: 0, c: 0 },
      ]),
    ).toThrow('n must be')
    expect(() =>
      homogeneityTest([
        { n: 3, c: 1 },
        { n: 2, c: 3 },
      ]),
    ).toThrow('c must be')
  })
})
