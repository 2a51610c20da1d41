import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pairedDifference } from '../compare/paired-difference.ts'
import { moreEvidence } from './more-evidence.ts'
import { requiredCases } from './required-cases.ts'

const a = [0.2, 0.4, 0.6, 0.8, 1, 0.4, 0.2, 0.6]
const b = [0.4, 0.4, 0.8, 0.8, 0.8, 0.8, 0, 0.8]

describe('moreEvidence', () => {
  it('asks for the cases that requiredCases gives at the observed spread', () => {
    const paired = pairedDifference(a, b)
    const between = (paired.se as number) ** 2 * 8
    expect(moreEvidence(paired, 0.05).cases).toBe(requiredCases({ difference: 0.05, between }) - 8)
  })

  it('asks for more the less room there is, and for whole groups', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 0.5, noNaN: true }), (room) => {
        const near = moreEvidence(pairedDifference(a, b), room).cases as number
        expect(moreEvidence(pairedDifference(a, b), room / 2).cases).toBeGreaterThanOrEqual(near)
      }),
    )
    const groups = ['a', 'a', 'b', 'b', 'c', 'c', 'd', 'd']
    const few = pairedDifference(a, b, 0.95, groups)
    // Four groups of two cases: at least five groups, so two more cases.
    expect(moreEvidence(few, 1).cases).toBe(2)
    expect(moreEvidence(few, 1, { trialsPerCase: 5, noise: 0.01 }).trialsPerCase).toBeNull()
  })

  it('asks for trials only where their noise is what is in the way', () => {
    const paired = pairedDifference(a, b)
    const noise = (paired.se as number) ** 2 * 8
    const trials = (share: number) =>
      moreEvidence(paired, 0.1, { trialsPerCase: 5, noise: noise * share }).trialsPerCase
    expect(trials(1)).toBeGreaterThan(0)
    expect(trials(0.1)).toBeNull()
    expect(trials(0)).toBeNull()
  })

  it('asks for exactly the cases that decide it where all cases agree', () => {
    for (const d of [0.2, 0.5, 0.9]) {
      const agreeing = (n: number) =>
        pairedDifference(
          Array.from({ length: n }, () => 0),
          Array.from({ length: n }, () => d),
        )
      const more = moreEvidence(agreeing(3), d).cases as number
      expect(agreeing(3 + more).interval?.low).toBeGreaterThanOrEqual(0)
      expect(agreeing(2 + more).interval?.low).toBeLessThan(0)
    }
  })

  it('refuses no room', () => {
    expect(() => moreEvidence(pairedDifference(a, b), 0)).toThrow('room must be')
  })
})
