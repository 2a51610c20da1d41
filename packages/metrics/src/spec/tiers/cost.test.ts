import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { costOfPass, costUsd, totalUsd } from './cost.ts'

const usage = { inputTokens: 10, inputPricePer1M: 3, outputTokens: 10, outputPricePer1M: 15 }

describe('costUsd', () => {
  it('never prices cached tokens by another class', () => {
    expect(() => costUsd({ ...usage, cacheReadTokens: 5 })).toThrow('cacheReadPricePer1M must be')
    expect(() => costUsd({ ...usage, cacheWriteTokens: 5 })).toThrow('cacheWritePricePer1M must be')
    expect(costUsd({ ...usage, cacheReadTokens: 0 })).toBe(costUsd(usage))
  })

  it('refuses negative prices, negative and fractional tokens', () => {
    expect(() => costUsd({ ...usage, inputPricePer1M: -1 })).toThrow('inputPricePer1M must be')
    expect(() => costUsd({ ...usage, outputTokens: -1 })).toThrow('outputTokens must be')
    expect(() => costUsd({ ...usage, inputTokens: 1.5 })).toThrow('inputTokens must be')
    expect(() => costUsd({ ...usage, cacheReadPricePer1M: Number.NaN })).toThrow(RangeError)
  })
})

describe('costOfPass', () => {
  it('is infinite where nothing passes, even at no cost', () => {
    expect([costOfPass(0.5, 0), costOfPass(0, 0)]).toEqual([Infinity, Infinity])
  })

  it('refuses negative costs and rates above 1', () => {
    expect(() => costOfPass(-1, 0.5)).toThrow('costUsd must be')
    expect(() => costOfPass(1, 1.1)).toThrow('passRate must be')
  })
})

describe('totalUsd', () => {
  it('is the same in any order, to the nano-dollar', () => {
    const cents = fc.array(fc.integer({ min: 0, max: 10 ** 6 }), { maxLength: 200 })
    fc.assert(
      fc.property(cents, (list) => {
        const exact = list.reduce((sum, micro) => sum + micro, 0) / 1e6
        expect(totalUsd(list.map((micro) => micro / 1e6))).toBe(exact)
        expect(totalUsd(list.toReversed().map((micro) => micro / 1e6))).toBe(exact)
      }),
    )
  })

  it('refuses amounts that are not numbers', () => {
    expect(() => totalUsd([1, Number.NaN])).toThrow('costs must be')
  })
})
