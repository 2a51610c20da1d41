import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gateVerdict } from './gate-verdict.ts'
import { pairedDifference, type PairedDifference } from './paired-difference.ts'

/** A difference with a standard error over 20 cases, as pairedDifference would give it. */
function observed(difference: number, reach: number, units = 20): PairedDifference {
  const interval = {
    low: difference - reach,
    high: difference + reach,
    level: 0.95,
    method: 'paired t over cases, widened for skewness',
    target: 'population',
  } as const
  return { difference, n: units, units, se: reach / 2.093, df: units - 1, p: 0.5, interval }
}

const flat = (m: number) => Array.from({ length: m }, () => 0.6)

describe('gateVerdict', () => {
  it.each([
    [-0.2, 0.1, 'regression', 'proven and larger than the margin'],
    [0.2, 0.1, 'improvement', 'proven and larger than the margin'],
    [0, 0.04, 'noRegression', 'all of it above minus the margin'],
    [-0.02, 0.02, 'noRegression', 'a proven drop that is within the margin'],
    [0.2, 0.22, 'noRegression', 'perhaps better, surely not worse'],
    [0, 0.2, 'inconclusive', 'reaches both sides'],
    [-0.2, 0.3, 'inconclusive', 'large drop, not proven'],
    [-0.04, 0.03, 'inconclusive', 'proven drop, perhaps larger than the margin'],
  ])('difference %s ± %s is %s: %s', (difference, reach, verdict) => {
    expect(gateVerdict(observed(difference, reach), 0.05).verdict).toBe(verdict)
  })

  it('takes a drop of exactly the margin as no more than it, also in floating point', () => {
    // 0.95 − 1 is −0.050000000000000044.
    expect(gateVerdict(observed(0.95 - 1, 0.01), 0.05).verdict).toBe('inconclusive')
    expect(gateVerdict(observed(-0.0501, 0.01), 0.05).verdict).toBe('regression')
    expect(gateVerdict(observed(1 - 0.95, 0.01), 0.05).verdict).toBe('noRegression')
  })

  it('never decides on fewer than five cases, however clear they look', () => {
    const clear = pairedDifference([1, 0.9, 1, 0.95], [0.1, 0, 0, 0.05])
    expect(clear.interval?.high).toBeLessThan(0)
    const gate = gateVerdict(clear, 0.05)
    expect(gate).toMatchObject({
      verdict: 'inconclusive',
      reason: 'fewer than 5 independent cases',
    })
    expect(gate.needed?.cases).toBe(1)
    expect(gateVerdict(pairedDifference([0.5], [0.5]), 0.05).needed).toEqual({
      cases: 4,
      trialsPerCase: null,
    })
  })

  it('counts groups, not cases, for that', () => {
    const groups = ['a', 'a', 'a', 'b', 'b', 'b', 'c', 'c', 'c']
    const a = [1, 0.9, 0.8, 1, 1, 1, 0.9, 0.9, 1]
    const gate = gateVerdict(
      pairedDifference(
        a,
        a.map(() => 0),
        0.95,
        groups,
      ),
      0.05,
    )
    expect(gate.verdict).toBe('inconclusive')
    // There are three groups of three cases. A verdict needs five groups, so two more: six cases.
    expect(gate.needed?.cases).toBe(6)
  })

  it('asks for 72 cases to rule out a share of 5 % on either side when all agree', () => {
    expect(gateVerdict(pairedDifference(flat(20), flat(20)), 0.05).needed).toEqual({
      cases: 52,
      trialsPerCase: null,
    })
    expect(gateVerdict(pairedDifference(flat(72), flat(72)), 0.05).verdict).toBe('noRegression')
    expect(gateVerdict(pairedDifference(flat(71), flat(71)), 0.05).verdict).toBe('inconclusive')
  })

  it('says that nothing settles a difference on the edge', () => {
    expect(gateVerdict(observed(0, 0.2), 0).needed).toEqual({ cases: null, trialsPerCase: null })
    expect(gateVerdict(observed(-0.05, 0.2), 0.05).needed?.cases).toBeNull()
  })

  it('has nothing to plan with where all agree on a scale without bounds', () => {
    const costs = pairedDifference([2, 3, 4, 5, 6], [3, 4, 5, 6, 7])
    expect(gateVerdict(costs, 0.5)).toMatchObject({
      verdict: 'inconclusive',
      reason: 'all cases agree, on a scale without bounds',
      needed: { cases: 1, trialsPerCase: null },
    })
    expect(gateVerdict(pairedDifference([0, 0, 0], [1, 1, 1]), 0.5).needed?.cases).toBe(2)
  })

  it('plans cases that settle the verdict, were the observed difference the truth', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -0.4, max: 0.4, noNaN: true }),
        fc.double({ min: 0.01, max: 0.6, noNaN: true }),
        fc.constantFrom(0.02, 0.05, 0.1),
        (difference, reach, margin) => {
          const now = observed(difference, reach)
          const gate = gateVerdict(now, margin)
          if (gate.verdict !== 'inconclusive') {
            expect(gate.needed).toBeNull()
            return
          }
          fc.pre(gate.needed?.cases !== null)
          const more = gate.needed?.cases as number
          expect(more).toBeGreaterThan(0)
          const later = observed(difference, reach * Math.sqrt(20 / (20 + more)), 20 + more)
          expect(gateVerdict(later, margin).verdict).not.toBe('inconclusive')
        },
      ),
    )
  })

  it('plans trials only where trial noise is what stands in the way', () => {
    const now = observed(0, 0.1)
    const variance = 20 * (now.se as number) ** 2
    const allNoise = gateVerdict(now, 0.05, { trialsPerCase: 5, noise: variance })
    // The interval must be half as wide, and a power of 80 % needs more:
    // (2.093 · 2 · 2.8016/2.093)² ≈ 7.2 times the trials.
    expect(allNoise.needed?.trialsPerCase).toBe(31)
    expect(gateVerdict(now, 0.05, { trialsPerCase: 5, noise: 0 }).needed?.trialsPerCase).toBeNull()
    expect(
      gateVerdict(now, 0.05, { trialsPerCase: 5, noise: variance / 2 }).needed?.trialsPerCase,
    ).toBeNull()
    expect(gateVerdict(now, 0.05).needed?.trialsPerCase).toBeNull()
    const close = gateVerdict(observed(0, 0.06), 0.05, { trialsPerCase: 5, noise: 1 })
    expect(close.needed?.trialsPerCase).toBeGreaterThan(0)
  })

  it('refuses a margin that is none', () => {
    expect(() => gateVerdict(observed(0, 0.1), -0.05)).toThrow('margin must be')
    expect(() => gateVerdict(observed(0, 0.1), Number.NaN)).toThrow('margin must be')
    expect(() => gateVerdict(observed(0, 0.1), 0.1, { trialsPerCase: 0, noise: 0 })).toThrow(
      'trialsPerCase must be',
    )
    expect(() => gateVerdict(observed(0, 0.1), 0.1, { trialsPerCase: 1, noise: -1 })).toThrow(
      'noise must be',
    )
  })
})
