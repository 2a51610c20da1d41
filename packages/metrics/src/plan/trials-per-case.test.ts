import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { trialsPerCase } from './trials-per-case.ts'

const positive = fc.double({ min: 0.01, max: 10, noNaN: true })

describe('trialsPerCase', () => {
  it('is the best whole number: no other gives a smaller variance for the money', () => {
    fc.assert(
      fc.property(
        positive,
        positive,
        positive,
        positive,
        (costCase, costTrial, within, between) => {
          const best = trialsPerCase({ costCase, costTrial, within, between }) as number
          const price = (n: number) => (costCase + n * costTrial) * (between + within / n)
          for (let n = 1; n <= 2 * best + 5; n++)
            expect(price(best)).toBeLessThanOrEqual(price(n) * (1 + 1e-12))
        },
      ),
    )
  })

  it('is the root of the two ratios, rounded', () => {
    expect(trialsPerCase({ costCase: 4, costTrial: 1, within: 0.16, between: 0.04 })).toBe(4)
    expect(trialsPerCase({ costCase: 1, costTrial: 0.1, within: 0.1, between: 0.1 })).toBe(3)
  })

  it('is one where cases are free or trials never differ', () => {
    expect(trialsPerCase({ costCase: 0, costTrial: 1, within: 0.2, between: 0.1 })).toBe(1)
    expect(trialsPerCase({ costCase: 5, costTrial: 1, within: 0, between: 0 })).toBe(1)
  })

  it('has no best number where all cases are alike', () => {
    expect(trialsPerCase({ costCase: 1, costTrial: 1, within: 0.2, between: 0 })).toBeNull()
  })

  it('refuses negative costs and variances', () => {
    const good = { costCase: 1, costTrial: 1, within: 1, between: 1 }
    expect(() => trialsPerCase({ ...good, costCase: -1 })).toThrow('costCase must be')
    expect(() => trialsPerCase({ ...good, costTrial: 0 })).toThrow('costTrial must be')
    expect(() => trialsPerCase({ ...good, within: -1 })).toThrow('within must be')
    expect(() => trialsPerCase({ ...good, between: Number.NaN })).toThrow('between must be')
  })
})
