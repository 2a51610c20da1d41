import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import {
  type ComparisonDesign,
  minDetectableEffect,
  requiredCases,
  standardErrorFor,
} from './required-cases.ts'

const designs = fc.record({
  between: fc.double({ min: 1e-6, max: 1, noNaN: true }),
  trialVarianceA: fc.double({ min: 0, max: 0.25, noNaN: true }),
  trialVarianceB: fc.double({ min: 0, max: 0.25, noNaN: true }),
  trialsA: fc.integer({ min: 1, max: 50 }),
  trialsB: fc.integer({ min: 1, max: 50 }),
  level: fc.constantFrom(0.8, 0.95, 0.99),
  power: fc.constantFrom(0.5, 0.8, 0.95),
})

const casesWithTrials = (trials: number) =>
  requiredCases({
    difference: 0.05,
    between: 0.02,
    trialVarianceA: 0.2,
    trialVarianceB: 0.2,
    trialsA: trials,
    trialsB: trials,
  })

describe('requiredCases and minDetectableEffect', () => {
  it('agree with 40 digits', () => {
    const vectors = golden<ComparisonDesign & { difference: number; cases: number; mde20: number }>(
      'required-cases',
    )
    for (const { cases, mde20, ...design } of vectors) {
      expect(requiredCases(design)).toBe(cases)
      expectClose(minDetectableEffect({ ...design, cases: 20 }), mde20, 1e-15)
    }
  })

  it('undo each other: what N cases can detect needs N cases', () => {
    fc.assert(
      fc.property(designs, fc.integer({ min: 1, max: 1e6 }), (design, cases) => {
        const difference = minDetectableEffect({ ...design, cases })
        expect(requiredCases({ ...design, difference })).toBe(cases)
      }),
    )
  })

  it('ask for the fewest cases that detect the difference', () => {
    fc.assert(
      fc.property(
        designs,
        fc.double({ min: 0.005, max: 0.9, noNaN: true }),
        (design, difference) => {
          const cases = requiredCases({ ...design, difference })
          expect(minDetectableEffect({ ...design, cases })).toBeLessThanOrEqual(
            difference * (1 + 1e-9),
          )
          if (cases > 1)
            expect(minDetectableEffect({ ...design, cases: cases - 1 })).toBeGreaterThan(difference)
        },
      ),
    )
  })

  it('do not care for the sign of the difference, and need one case where nothing varies', () => {
    expect(requiredCases({ difference: -0.05, between: 0.05 })).toBe(157)
    expect(requiredCases({ difference: 0.05, between: 0 })).toBe(1)
  })

  it('show that trials help only until the cases themselves are the noise', () => {
    expect([1, 5, 20, 1000].map(casesWithTrials)).toEqual([1319, 314, 126, 65])
  })

  it('rest on one standard error', () => {
    const design = { difference: -0.1, level: 0.95, power: 0.8 }
    const cases = requiredCases({ ...design, between: 0.04 })
    expect(Math.sqrt(0.04 / cases)).toBeLessThanOrEqual(standardErrorFor(design))
    expect(Math.sqrt(0.04 / (cases - 1))).toBeGreaterThan(standardErrorFor(design))
  })

  it('refuse what cannot be planned', () => {
    expect(() => requiredCases({ difference: 0, between: 0.1 })).toThrow('difference must not be 0')
    expect(() => requiredCases({ difference: Number.NaN, between: 0.1 })).toThrow(
      'difference must be',
    )
    expect(() => requiredCases({ difference: 0.1, between: -1 })).toThrow('between must be')
    expect(() => requiredCases({ difference: 0.1, between: 1, trialsA: 0 })).toThrow(
      'trialsA must be',
    )
    expect(() => requiredCases({ difference: 0.1, between: 1, trialsB: 1.5 })).toThrow(
      'trialsB must be',
    )
    expect(() => requiredCases({ difference: 0.1, between: 1, trialVarianceA: -1 })).toThrow(
      'trialVarianceA',
    )
    expect(() => requiredCases({ difference: 0.1, between: 1, trialVarianceB: Infinity })).toThrow(
      'trialVarianceB',
    )
    expect(() => requiredCases({ difference: 0.1, between: 1, level: 1 })).toThrow('level must be')
    expect(() => requiredCases({ difference: 0.1, between: 1, power: 0.01 })).toThrow(
      'power must be',
    )
    expect(() => minDetectableEffect({ cases: 0, between: 1 })).toThrow('cases must be')
  })
})
