import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import { adjustP, type Adjustment } from './adjust-p.ts'

const METHODS = ['holm', 'bh', 'by'] as const
const list = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 })

describe('adjustP', () => {
  it("agrees with R's p.adjust", () => {
    for (const [i, v] of golden<Record<'p' | Adjustment, number[]>>('adjust-p').entries())
      for (const method of METHODS) {
        const adjusted = adjustP(v.p, method)
        expect(adjusted.length).toBe(v[method].length)
        for (const [j, expected] of v[method].entries())
          expectClose(adjusted.at(j) ?? Number.NaN, expected, 1e-15, `${method} ${j} of list ${i}`)
      }
  })

  it('never lowers a p-value, keeps the order, and stays within 1', () => {
    fc.assert(
      fc.property(list, fc.constantFrom(...METHODS), (p, method) => {
        const adjusted = adjustP(p, method)
        const pairs = p.map((before, i) => ({ before, after: adjusted.at(i) ?? Number.NaN }))
        for (const { before, after } of pairs) {
          expect(after).toBeGreaterThanOrEqual(before * (1 - 1e-15))
          expect(after).toBeLessThanOrEqual(1)
          for (const other of pairs)
            if (before < other.before) expect(after).toBeLessThanOrEqual(other.after)
        }
      }),
    )
  })

  it('orders the methods: BH at most Holm, BH at most BY', () => {
    fc.assert(
      fc.property(list, (p) => {
        const holm = adjustP(p, 'holm')
        const by = adjustP(p, 'by')
        for (const [i, value] of adjustP(p, 'bh').entries()) {
          expect(value * (1 - 1e-15)).toBeLessThanOrEqual(holm.at(i) ?? Number.NaN)
          expect(value).toBeLessThanOrEqual(by.at(i) ?? Number.NaN)
        }
      }),
    )
  })

  it('leaves a single p-value and an empty list alone', () => {
    for (const method of METHODS) {
      expect(adjustP([0.2], method)).toEqual([0.2])
      expect(adjustP([], method)).toEqual([])
    }
  })

  it('refuses what is not a p-value, or not a method', () => {
    expect(() => adjustP([0.5, 1.1], 'bh')).toThrow('p must be')
    expect(() => adjustP([Number.NaN], 'holm')).toThrow('p must be')
    expect(() => adjustP([0.5], 'fdr' as Adjustment)).toThrow(
      'method must be holm, bh or by, got "fdr"',
    )
  })
})
