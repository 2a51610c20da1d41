import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../../test/golden.ts'
import { random } from '../../resample/random.ts'
import { signFlipExact } from './sign-flip.ts'

interface Vector {
  differences: number[]
  twoSided: number
  less: number
  greater: number
}

const integers = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 1, maxLength: 12 })

/** The p-value from all 2^m sign patterns of integer differences. */
function enumerate(units: readonly number[]): number {
  const observed = Math.abs(units.reduce((sum, u) => sum + u, 0))
  let extreme = 0
  for (let pattern = 0; pattern < 2 ** units.length; pattern++) {
    const sum = units.reduce((total, u, i) => total + (pattern & (1 << i) ? u : -u), 0)
    if (Math.abs(sum) >= observed) extreme++
  }
  return extreme / 2 ** units.length
}

describe('signFlipExact', () => {
  it('agrees with all sign patterns of the exact rates, unequal n included', () => {
    for (const [i, v] of golden<Vector>('sign-flip').entries())
      for (const side of ['twoSided', 'less', 'greater'] as const) {
        const { p, method } = signFlipExact(v.differences, side)
        expect(method).toBe('exact')
        expectClose(p, v[side], 1e-15, `${side} of list ${i}`)
      }
  })

  it('is the share of all sign patterns for any integers', () => {
    fc.assert(
      fc.property(integers, (units) => {
        expectClose(signFlipExact(units).p, enumerate(units), 1e-15)
      }),
    )
  })

  it('does not depend on the unit', () => {
    fc.assert(
      fc.property(integers, fc.constantFrom(1e-9, 0.01, 1 / 7, 3, 1e12), (units, unit) => {
        expect(signFlipExact(units.map((u) => u * unit)).p).toBe(signFlipExact(units).p)
      }),
    )
  })

  it('ties 0.2 + 0.2 with 0.4 although the doubles differ', () => {
    const rounded = [0.8 - 0.6, 0.3 - 0.1, -(0.6 - 0.2), 0.7 - 0.5]
    expect(signFlipExact(rounded).p).toBe(signFlipExact([1, 1, -2, 1]).p)
  })

  it('rounds continuous scores to a fine lattice and stays within a hair of all patterns', () => {
    const next = random(11)
    for (let trial = 0; trial < 20; trial++) {
      const scores = Array.from({ length: 12 }, () => next() - 0.35)
      const { p, method, step } = signFlipExact(scores)
      expect(method).toBe('rounded')
      expect(step).toBeLessThan(1e-4)
      expect(Math.abs(p - enumerate(scores))).toBeLessThanOrEqual(4 / 2 ** 12)
    }
  })

  it('agrees with its normal form where only that is affordable', () => {
    const next = random(12)
    const many = Array.from({ length: 1200 }, () => next() - 0.48)
    const few = many.slice(0, 800)
    const large = signFlipExact(many, 'greater')
    expect(large).toMatchObject({ method: 'normal', step: null, nonzero: 1200 })
    expectClose(signFlipExact(many, 'less').p, 1 - large.p, 1e-12)
    expectClose(signFlipExact(many).p, 2 * Math.min(large.p, 1 - large.p), 1e-12)
    // Check the normal approximation on data for which the exact answer can also be computed.
    const exact = signFlipExact(few)
    expect(exact.method).toBe('rounded')
    const approximate = signFlipExact([...few, ...Array.from({ length: 800 }, () => 1e-9)])
    expect(approximate.method).toBe('normal')
    expect(exact.p).toBeLessThan(0.5)
    expectClose(approximate.p, exact.p, 2e-2)
  })

  it('answers 1 without a difference, and ignores zeros', () => {
    expect(signFlipExact([0, 0])).toMatchObject({ p: 1, nonzero: 0, step: null })
    expect(signFlipExact([1, 0, 2, -0]).p).toBe(signFlipExact([1, 2]).p)
    expect(signFlipExact([0.5]).p).toBe(1)
  })

  it('refuses what is not a list of numbers', () => {
    expect(() => signFlipExact([])).toThrow('differences must not be empty')
    expect(() => signFlipExact([1, Number.NaN])).toThrow('differences must be')
    expect(() => signFlipExact([1, Infinity])).toThrow('differences must be')
  })
})
