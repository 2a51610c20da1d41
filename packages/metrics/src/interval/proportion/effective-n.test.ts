import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../../test/golden.ts'
import { effectiveNInterval } from './effective-n.ts'
import { fixedSetInterval } from '../fixed-set-interval.ts'
import { passRateEstimate } from '../pass-estimate.ts'

describe('effectiveNInterval', () => {
  it('agrees with exact rationals and mpmath for grouped cases', () => {
    for (const v of golden<{
      values: number[]
      groups: number[]
      attempts: number | null
      low: number
      high: number
    }>('grouped-intervals')) {
      const options = { groups: v.groups, ...(v.attempts === null ? {} : { attempts: v.attempts }) }
      const { low, high } = effectiveNInterval(v.values, 0.95, options)
      expectClose(low, v.low, 1e-12, `low of ${v.values.join()}`)
      expectClose(high, v.high, 1e-12, `high of ${v.values.join()}`)
    }
  })

  it('is what passRateEstimate gives for the population', () => {
    const cases = [4, 2, 5, 0].map((c) => ({ n: 5, c }))
    const interval = effectiveNInterval([0.8, 0.4, 1, 0], 0.95, { attempts: 20 })
    expect(interval).toEqual(passRateEstimate(cases, 'population').interval)
  })

  it('treats roundings of one value as that value', () => {
    const same = effectiveNInterval([0.3, 0.3, 0.3])
    const rounded = effectiveNInterval([0.1 + 0.2, 0.3, 0.3])
    expectClose(rounded.low, same.low, 1e-14)
    const grouped = { groups: ['a', 'b', 'c'] }
    expectClose(
      effectiveNInterval([0.1 + 0.2, 0.3, 0.3], 0.95, grouped).low,
      effectiveNInterval([0.3, 0.3, 0.3], 0.95, grouped).low,
      1e-14,
    )
  })

  it('widens when cases that agree share a group', () => {
    const values = [0.2, 0.2, 0.9, 0.9, 0.6, 0.6]
    const free = effectiveNInterval(values)
    const grouped = effectiveNInterval(values, 0.95, { groups: ['a', 'a', 'b', 'b', 'c', 'c'] })
    expect(grouped.high - grouped.low).toBeGreaterThan(free.high - free.low)
    expect(grouped.method).toBe('Korn-Graubard with unseen share, over groups')
  })

  it('refuses a single case, values outside [0, 1] and attempts that are not positive', () => {
    expect(() => effectiveNInterval([0.5])).toThrow('values must have at least 2 members')
    expect(() => effectiveNInterval([0.5, 1.5])).toThrow('values must be')
    expect(() => effectiveNInterval([0.5, 0.6], 0)).toThrow('level must be')
    expect(() => effectiveNInterval([0.5, 0.6], 0.95, { attempts: 0 })).toThrow('attempts must be')
    expect(() => effectiveNInterval([0.5, 0.6], 0.95, { groups: ['a', 'a'] })).toThrow('groups')
  })
})

describe('fixedSetInterval', () => {
  it('is what passRateEstimate gives for the fixed set', () => {
    const cases = [4, 2, 5, 0].map((c) => ({ n: 5, c }))
    const rates = [0.8, 0.4, 1, 0]
    const interval = fixedSetInterval(
      rates,
      rates.map((p) => (p * (1 - p)) / 4),
      20,
    )
    const expected = passRateEstimate(cases, 'fixed').interval
    expect(interval.method).toBe(expected?.method)
    expectClose(interval.low, expected?.low ?? 0, 1e-13)
    expectClose(interval.high, expected?.high ?? 0, 1e-13)
  })

  it('counts attempts where no variance is known', () => {
    expectClose(fixedSetInterval([1, 1], [0, 0], 10).low, 0.025 ** 0.1, 1e-13)
  })

  it('refuses lists of unequal length, negative variances and attempts that are not positive', () => {
    expect(() => fixedSetInterval([], [], 5)).toThrow('values must not be empty')
    expect(() => fixedSetInterval([0.5], [], 5)).toThrow('same length')
    expect(() => fixedSetInterval([2], [0], 5)).toThrow('values must be')
    expect(() => fixedSetInterval([0.5], [-1], 5)).toThrow('variances must be')
    expect(() => fixedSetInterval([0.5], [0], 0)).toThrow('attempts must be')
    expect(() => fixedSetInterval([0.5], [0], 1, 2)).toThrow('level must be')
  })
})
