import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compositeScore } from './tiers/composite-score.ts'
import { describe as statistics, populationVariance, sampleDeviation } from './describe.ts'
import { letterGrade } from './tiers/letter-grade.ts'

const values = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), {
  minLength: 1,
  maxLength: 50,
})

describe('the statistics block', () => {
  it('does not depend on the order of values', () => {
    fc.assert(
      fc.property(values, (list) => {
        const { mean: m, stdDev, ...rest } = statistics(list)
        const other = statistics(list.toReversed())
        expect(other).toMatchObject(rest)
        expect(other.mean).toBeCloseTo(m, 9)
        expect(other.stdDev).toBeCloseTo(stdDev as number, 6)
      }),
    )
  })

  it('takes the mode of values rounded to six decimals', () => {
    // 0.1 + 0.2 is not exactly 0.3. Without rounding, every value would occur once and the mode were 0.1.
    expect(statistics([0.1, 0.1 + 0.2, 0.3]).mode).toBe(0.3)
    expect(statistics([1.0000004, 1, 0.5, Infinity]).mode).toBe(1)
    expect(statistics([1.0000006, 1, 2]).mode).toBe(1)
  })

  it('orders min, median, mean and max', () => {
    fc.assert(
      fc.property(values, (list) => {
        const { min, max, median, mean: m, mode } = statistics(list)
        expect(median).toBeGreaterThanOrEqual(min)
        expect(median).toBeLessThanOrEqual(max)
        // The mode is rounded to six decimals.
        expect(mode).toBeGreaterThanOrEqual(min - 1e-6)
        expect(mode).toBeLessThanOrEqual(max + 1e-6)
        expect(m).toBeGreaterThanOrEqual(min - 1e-9)
        expect(m).toBeLessThanOrEqual(max + 1e-9)
      }),
    )
  })

  it('sorts by number, not by text', () => {
    expect(statistics([10, 9, 100, 1]).median).toBe(9.5)
  })

  it('with an infinite cost of pass has an infinite mean and no deviation', () => {
    expect(statistics([1, Infinity, 3])).toEqual({
      median: 3,
      mean: Infinity,
      mode: 1,
      min: 1,
      max: Infinity,
      stdDev: null,
      count: 3,
    })
    expect(statistics([Infinity, Infinity]).median).toBe(Infinity)
    expect(() => populationVariance([1, Infinity])).toThrow('values must be finite')
  })

  it('takes a hundred thousand values', () => {
    const many = Array.from({ length: 200_001 }, (_, i) => i)
    expect(statistics(many)).toMatchObject({ median: 100_000, mean: 100_000, min: 0, max: 200_000 })
  })

  it('refuses an empty list, NaN and minus infinity', () => {
    expect(() => statistics([])).toThrow('values must not be empty')
    expect(() => statistics([1, Number.NaN])).toThrow('values must be numbers or Infinity, got NaN')
    expect(() => statistics([-Infinity])).toThrow(RangeError)
    expect(() => sampleDeviation([])).toThrow('values must not be empty')
  })
})

describe('deviation of a sample', () => {
  it('divides by n − 1, and a single value has none', () => {
    expect(sampleDeviation([1, 2, 3])).toBe(1)
    expect(sampleDeviation([4])).toBeNull()
    expect(populationVariance([4])).toBe(0)
  })
})

describe('letterGrade', () => {
  it.each([
    [1, 'A'],
    [0.95, 'A'],
    [0.9499999, 'B'],
    [0.925, 'B'],
    [0.85, 'B'],
    [0.8499999, 'C'],
    [0.75, 'C'],
    [0.65, 'D'],
    [0.6499999, 'F'],
    [0, 'F'],
  ])('%s is %s', (score, grade) => {
    expect(letterGrade(score)).toBe(grade)
  })

  it('reaches a bound in decimal: (1 + 0.9)/2 and 3 · 0.95/3 are an A', () => {
    expect(letterGrade((0.95 + 0.95 + 0.95) / 3)).toBe('A')
    expect(letterGrade(compositeScore(1, 0.9, { pass: 0.1, impl: 0.1 }))).toBe('A')
  })

  it('takes another scale as data', () => {
    const scale = { steps: [{ grade: 'pass', least: 0.5 }], below: 'fail' }
    expect([letterGrade(0.5, scale), letterGrade(0.4, scale)]).toEqual(['pass', 'fail'])
  })

  it('refuses NaN, an empty scale and one that does not go down', () => {
    const step = (grade: string, least: number) => ({ grade, least })
    expect(() => letterGrade(Number.NaN)).toThrow('score must be')
    expect(() => letterGrade(1, { steps: [], below: 'F' })).toThrow('scale.steps must not be empty')
    expect(() => letterGrade(1, { steps: [step('B', 0.8), step('A', 0.9)], below: 'F' })).toThrow(
      'must go down',
    )
    expect(() => letterGrade(1, { steps: [step('A', Number.NaN)], below: 'F' })).toThrow(
      'bound of A',
    )
  })
})

describe('compositeScore', () => {
  it('stays between its two parts', () => {
    const rate = fc.double({ min: 0, max: 1, noNaN: true })
    const weight = fc.double({ min: 0.001, max: 10, noNaN: true })
    fc.assert(
      fc.property(rate, rate, weight, weight, (passRate, implRate, pass, impl) => {
        const score = compositeScore(passRate, implRate, { pass, impl })
        expect(score).toBeGreaterThanOrEqual(Math.min(passRate, implRate) - 1e-15)
        expect(score).toBeLessThanOrEqual(Math.max(passRate, implRate) + 1e-15)
      }),
    )
  })

  it('refuses weights that sum to 0 or are negative, and rates outside [0, 1]', () => {
    expect(() => compositeScore(1, 1, { pass: 0, impl: 0 })).toThrow('weights must not sum to 0')
    expect(() => compositeScore(1, 1, { pass: -1, impl: 2 })).toThrow('weights.pass must be')
    expect(() => compositeScore(1, 1, { pass: 1, impl: -2 })).toThrow('weights.impl must be')
    expect(() => compositeScore(2, 1)).toThrow('passRate must be')
    expect(() => compositeScore(1, -1)).toThrow('implRate must be')
  })
})
