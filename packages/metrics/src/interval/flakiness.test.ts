import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose } from '../../test/golden.ts'
import { clopperPearson } from './proportion/clopper-pearson.ts'
import { disagreementProbability, flakeDetectionProbability, flakiness } from './flakiness.ts'

const counts = fc
  .integer({ min: 1, max: 200 })
  .chain((n) => fc.tuple(fc.constant(n), fc.integer({ min: 0, max: n })))

describe('flakiness', () => {
  it('does not call five passes of five stable: they allow a coin', () => {
    expect(flakiness(5, 5)).toEqual({
      value: 0,
      interval: { low: 0, high: 0.5 },
      seen: false,
      provenStable: false,
    })
  })

  it('is proven stable from 72 equal trials on, and not by 71', () => {
    expect(flakiness(72, 72).provenStable).toBe(true)
    expect(flakiness(72, 0).provenStable).toBe(true)
    expect(flakiness(71, 71).provenStable).toBe(false)
  })

  it('is not proven by one trial, whose interval has both ends near 0 or 1 and a coin between', () => {
    expect(flakiness(1, 1)).toMatchObject({ interval: { high: 0.5 }, provenStable: false })
    expect(flakiness(1, 0).provenStable).toBe(false)
  })

  it('can be proven stable with a rare failure seen', () => {
    const { seen, provenStable } = flakiness(400, 398)
    expect(seen).toBe(true)
    expect(provenStable).toBe(true)
  })

  it('is the image of the exact interval under min(p, 1 − p)', () => {
    fc.assert(
      fc.property(counts, ([n, c]) => {
        const { low, high } = clopperPearson(n, c)
        const { interval, value } = flakiness(n, c)
        const image = Array.from({ length: 201 }, (_, i) => low + ((high - low) * i) / 200).map(
          (p) => Math.min(p, 1 - p),
        )
        expectClose(interval.low, Math.min(...image), 1e-12)
        expect(interval.high).toBeGreaterThanOrEqual(Math.max(...image) - 1e-15)
        expect(interval.high).toBeLessThanOrEqual(Math.max(...image) + (high - low) / 200)
        expect(value).toBeGreaterThanOrEqual(interval.low)
        expect(value).toBeLessThanOrEqual(interval.high)
      }),
    )
  })

  it('refuses counts and levels that are none', () => {
    expect(() => flakiness(0, 0)).toThrow('n must be')
    expect(() => flakiness(3, 4)).toThrow('c must be')
    expect(() => flakiness(3, 2, 1)).toThrow('level must be')
  })
})

describe('disagreementProbability', () => {
  it('counts the pairs of trials that differ', () => {
    fc.assert(
      fc.property(counts, ([n, c]) => {
        if (n < 2) return
        let pairs = 0
        for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) if (i < c !== j < c) pairs++
        const expected = pairs / ((n * (n - 1)) / 2)
        expectClose(disagreementProbability(n, c) ?? Number.NaN, expected, 1e-14)
      }),
      { numRuns: 40 },
    )
  })

  it('is null for one trial', () => {
    expect(disagreementProbability(1, 1)).toBeNull()
    expect(() => disagreementProbability(2, 3)).toThrow('c must be')
  })
})

describe('flakeDetectionProbability', () => {
  it.each([
    [0.9, 5, 0.4095],
    [0.5, 2, 0.5],
    [0.5, 10, 1 - 2 ** -9],
    [0, 7, 0],
    [1, 7, 0],
    [0.3, 1, 0],
    [1e-12, 10, 9.999999999955e-12],
    [1e-300, 3, 3e-300],
  ])('p = %s in %s trials is noticed with probability %s', (p, n, expected) => {
    expectClose(flakeDetectionProbability(p, n), expected, 1e-14)
  })

  it('is the same for p and 1 − p and grows with n', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1024 }), fc.integer({ min: 1, max: 50 }), (i, n) => {
        const p = i / 1024
        expect(flakeDetectionProbability(p, n)).toBe(flakeDetectionProbability(1 - p, n))
        expect(flakeDetectionProbability(p, n + 1)).toBeGreaterThanOrEqual(
          flakeDetectionProbability(p, n) - 1e-16,
        )
      }),
    )
  })

  it('refuses what is no probability and no number of trials', () => {
    expect(() => flakeDetectionProbability(1.5, 3)).toThrow('p must be')
    expect(() => flakeDetectionProbability(0.5, 0)).toThrow('n must be')
  })
})
