/**
 * False alarms: how often the tests of this folder reject if nothing changed. The random numbers are
 * seeded, so the result is always the same.
 */
import { describe, expect, it } from 'vitest'
import { random } from '../resample/random.ts'
import { exactStratifiedTest, type Stratum } from './exact-stratified-test.ts'
import { gateVerdict } from './gate-verdict.ts'
import { pairedDifference } from './paired-difference.ts'
import { signFlipExact } from './rank/sign-flip.ts'

const RUNS = 2000
const CASES = 20
const TRIALS = 5

/**
 * 20 cases of 5 trials, each with its own pass rate. Most cases are very hard or very easy. B's pass
 * rates differ from A's by `change`.
 */
function suite(next: () => number, change: number): readonly Stratum[] {
  return Array.from({ length: CASES }, () => {
    // Beta(1/2, 1/2) by the arcsine law.
    const p = Math.sin((Math.PI / 2) * next()) ** 2
    const passes = (rate: number) => {
      let c = 0
      for (let i = 0; i < TRIALS; i++) if (next() < rate) c++
      return c
    }
    return { nA: TRIALS, cA: passes(p), nB: TRIALS, cB: passes(p + change) }
  })
}

const rates = (strata: readonly Stratum[]) => ({
  a: strata.map(({ nA, cA }) => cA / nA),
  b: strata.map(({ nB, cB }) => cB / nB),
})

function share(
  seed: number,
  change: number,
  rejects: (strata: readonly Stratum[]) => boolean,
): number {
  const next = random(seed)
  let count = 0
  for (let run = 0; run < RUNS; run++) if (rejects(suite(next, change))) count++
  return count / RUNS
}

const atMost = (rate: number) => rate + 2 * Math.sqrt((rate * (1 - rate)) / RUNS)

describe('with 20 unchanged cases of 5 trials', () => {
  it('the paired t test rejects in at most 5 % of runs', () => {
    const size = share(1, 0, (strata) => {
      const { a, b } = rates(strata)
      return (pairedDifference(a, b).p as number) <= 0.05
    })
    expect(size).toBeLessThanOrEqual(atMost(0.05))
    expect(size).toBeGreaterThan(0.03)
  })

  it('the exact stratified test rejects in at most 5 % of runs', () => {
    const size = share(2, 0, (strata) => exactStratifiedTest(strata).p <= 0.05)
    expect(size).toBeLessThanOrEqual(atMost(0.05))
    expect(size).toBeGreaterThan(0.015)
  })

  it('the sign-flip test rejects in at most 5 % of runs', () => {
    const size = share(3, 0, (strata) => {
      return signFlipExact(strata.map(({ nA, cA, nB, cB }) => cB / nB - cA / nA)).p <= 0.05
    })
    expect(size).toBeLessThanOrEqual(atMost(0.05))
    expect(size).toBeGreaterThan(0.01)
  })

  it('the gate raises a false alarm in at most 2.5 % of runs', () => {
    const size = share(4, 0, (strata) => {
      const { a, b } = rates(strata)
      return gateVerdict(pairedDifference(a, b), 0.05).verdict === 'regression'
    })
    expect(size).toBeLessThanOrEqual(atMost(0.025))
    expect(size).toBeGreaterThan(0.005)
  })
})

describe('with 20 cases of 5 trials that dropped by 30 points', () => {
  it('the gate raises the alarm in most runs, and hardly ever says that nothing regressed', () => {
    const verdicts = new Map<string, number>()
    share(5, -0.3, (strata) => {
      const { a, b } = rates(strata)
      const { verdict } = gateVerdict(pairedDifference(a, b), 0.05)
      verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1)
      return false
    })
    expect((verdicts.get('regression') ?? 0) / RUNS).toBeGreaterThan(0.8)
    expect((verdicts.get('noRegression') ?? 0) / RUNS).toBeLessThan(0.01)
  })
})
