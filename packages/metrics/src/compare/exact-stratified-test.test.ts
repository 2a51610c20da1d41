import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import { exactStratifiedTest, type Stratum } from './exact-stratified-test.ts'
import { fisherExact } from './fisher-exact.ts'
import { mcnemar } from './mcnemar.ts'

interface Vector {
  strata: Stratum[]
  twoSided: number
  less: number
  greater: number
}

const stratum = fc
  .tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 12 }))
  .chain(([nA, nB]) =>
    fc.record({
      nA: fc.constant(nA),
      cA: fc.integer({ min: 0, max: nA }),
      nB: fc.constant(nB),
      cB: fc.integer({ min: 0, max: nB }),
    }),
  )
const strata = fc.array(stratum, { minLength: 1, maxLength: 12 })

describe('exactStratifiedTest', () => {
  it('agrees with exact rationals to 1e-14, tails of 1e-223 included', () => {
    for (const [i, v] of golden<Vector>('stratified-test').entries())
      for (const side of ['twoSided', 'less', 'greater'] as const) {
        const { p, method } = exactStratifiedTest(v.strata, side)
        expect(method).toBe('exact')
        expectClose(p, v[side], 1e-14, `${side} of suite ${i}`)
      }
  })

  it('agrees with mantelhaen.test(exact = TRUE)', () => {
    for (const [i, v] of golden<Vector>('stratified-test-r').entries())
      for (const side of ['twoSided', 'less', 'greater'] as const)
        expectClose(exactStratifiedTest(v.strata, side).p, v[side], 1e-14, `${side} of suite ${i}`)
  })

  it('takes the normal form beyond 5e8 multiplications, and says so', () => {
    const vectors = golden<{ strata: Stratum[]; twoSided: number; exact: number }>(
      'stratified-normal',
    )
    for (const v of vectors) {
      const { p, method } = exactStratifiedTest(v.strata)
      expect(method).toBe('normal')
      expectClose(p, v.twoSided, 1e-12, 'normal form')
      expectClose(p, v.exact, 1e-2, 'against the exact value')
      const less = exactStratifiedTest(v.strata, 'less').p
      const greater = exactStratifiedTest(v.strata, 'greater').p
      expectClose(2 * Math.min(less, greater), p, 1e-12)
      expect(less + greater).toBeGreaterThan(1)
    }
  })

  it('is McNemar at one trial each', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 40 }), (b, c) => {
        const cases = [
          ...Array.from({ length: b }, () => ({ nA: 1, cA: 1, nB: 1, cB: 0 })),
          ...Array.from({ length: c }, () => ({ nA: 1, cA: 0, nB: 1, cB: 1 })),
          { nA: 1, cA: 1, nB: 1, cB: 1 },
        ]
        const test = exactStratifiedTest(cases)
        expectClose(test.p, mcnemar(b, c).p, 1e-13)
        expect(test.informative).toBe(b + c)
      }),
    )
  })

  it("is Fisher's test with one case", () => {
    fc.assert(
      fc.property(stratum, (s) => {
        const { p } = fisherExact(s.cB, s.nB - s.cB, s.cA, s.nA - s.cA)
        expectClose(exactStratifiedTest([s]).p, p, 1e-13)
      }),
    )
  })

  it('does not depend on the order of the cases, nor on cases that cannot tell', () => {
    fc.assert(
      fc.property(strata, (cases) => {
        const { p } = exactStratifiedTest(cases)
        expect(exactStratifiedTest(cases.toReversed()).p).toBe(p)
        expect(exactStratifiedTest([...cases, { nA: 5, cA: 5, nB: 5, cB: 5 }]).p).toBe(p)
      }),
    )
  })

  it('mirrors when A and B change places', () => {
    fc.assert(
      fc.property(strata, (cases) => {
        const swapped = cases.map(({ nA, cA, nB, cB }) => ({ nA: nB, cA: cB, nB: nA, cB: cA }))
        expectClose(
          exactStratifiedTest(swapped, 'less').p,
          exactStratifiedTest(cases, 'greater').p,
          1e-13,
        )
        expectClose(exactStratifiedTest(swapped).p, exactStratifiedTest(cases).p, 1e-13)
      }),
    )
  })

  it('reports what B passed and what it was expected to', () => {
    const test = exactStratifiedTest([
      { nA: 5, cA: 5, nB: 5, cB: 2 },
      { nA: 4, cA: 4, nB: 4, cB: 4 },
    ])
    expect(test).toMatchObject({ passes: 2, expected: 3.5, informative: 1 })
  })

  it('answers 1 where no case can tell', () => {
    expect(exactStratifiedTest([{ nA: 5, cA: 5, nB: 5, cB: 5 }])).toMatchObject({
      p: 1,
      informative: 0,
    })
    expect(exactStratifiedTest([{ nA: 0, cA: 0, nB: 5, cB: 2 }], 'less').p).toBe(1)
  })

  it('refuses what is not a suite of counts', () => {
    expect(() => exactStratifiedTest([])).toThrow(new RangeError('strata must not be empty'))
    expect(() => exactStratifiedTest([{ nA: 5, cA: 6, nB: 5, cB: 0 }])).toThrow('cA must be')
    expect(() => exactStratifiedTest([{ nA: 5, cA: 1, nB: 5, cB: -1 }])).toThrow('cB must be')
    expect(() => exactStratifiedTest([{ nA: 0.5, cA: 0, nB: 5, cB: 1 }])).toThrow('nA must be')
    expect(() => exactStratifiedTest([{ nA: 1, cA: 0, nB: Number.NaN, cB: 1 }])).toThrow(
      'nB must be',
    )
  })
})
