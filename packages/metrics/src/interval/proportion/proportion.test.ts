import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../../test/golden.ts'
import type { Bounds } from '../../metric.ts'
import { clopperPearson, kornGraubard } from './clopper-pearson.ts'
import { jeffreys } from './jeffreys.ts'
import { newcombeDifference } from './newcombe.ts'
import { wilson, wilsonBounds } from './wilson.ts'

type Pair = readonly [low: number, high: number]

interface Vector {
  readonly c?: number
  readonly n: number
  readonly level: number
  readonly wilson: Pair
  readonly clopperPearson?: Pair
  readonly jeffreys?: Pair
  readonly rate?: number
  readonly quantile?: number
  readonly kornGraubard?: Pair
}

const vectors = golden<Vector>('proportion-intervals')

function expectBounds(actual: Bounds, [low, high]: Pair, tolerance: number, message: string): void {
  expectClose(actual.low, low, tolerance, `low of ${message}`)
  expectClose(actual.high, high, tolerance, `high of ${message}`)
}

const counts = fc
  .integer({ min: 1, max: 300 })
  .chain((n) => fc.tuple(fc.constant(n), fc.integer({ min: 0, max: n })))
const level = fc.double({ min: 0.2, max: 0.999, noNaN: true })

describe.each([
  ['wilson', wilson],
  ['clopperPearson', clopperPearson],
  ['jeffreys', jeffreys],
] as const)('%s', (name, interval) => {
  it('agrees with mpmath to 1e-13', () => {
    for (const vector of vectors) {
      const { c, n, level: at } = vector
      const expected = vector[name]
      if (c === undefined || expected === undefined) continue
      expectBounds(interval(n, c, at), expected, 1e-13, `${c}/${n} at ${at}`)
    }
  })

  it('reaches exactly 0 without passes and exactly 1 without failures', () => {
    expect(interval(7, 0).low).toBe(0)
    expect(interval(7, 7).high).toBe(1)
    expect(interval(7, 0).high).toBeGreaterThan(0)
    expect(interval(7, 7).low).toBeLessThan(1)
  })

  it('mirrors when passes and failures swap, and widens with the level', () => {
    fc.assert(
      fc.property(counts, level, ([n, c], at) => {
        const { low, high } = interval(n, c, at)
        const mirrored = interval(n, n - c, at)
        expect(low).toBeLessThan(high)
        expect(Math.abs(mirrored.low - (1 - high))).toBeLessThanOrEqual(1e-13)
        const wider = interval(n, c, (1 + at) / 2)
        expect(wider.low).toBeLessThanOrEqual(low + 1e-13)
        expect(wider.high).toBeGreaterThanOrEqual(high - 1e-13)
      }),
    )
  })

  it('refuses c above n, no trials and levels that are no levels', () => {
    expect(() => interval(3, 4)).toThrow('c must be')
    expect(() => interval(0, 0)).toThrow('n must be')
    expect(() => interval(2, 1, 1)).toThrow('level must be strictly between 0 and 1')
    expect(() => interval(2, 1, Number.NaN)).toThrow(RangeError)
  })
})

describe('clopperPearson', () => {
  it('is (alpha/2)^(1/n) when all pass: five of five allow a rate of 0.478', () => {
    expectClose(clopperPearson(5, 5).low, 0.025 ** 0.2, 1e-14)
  })

  it('covers at least its level for every rate and n', () => {
    for (const n of [1, 5, 12, 30])
      for (let i = 1; i < 40; i++) {
        const p = i / 40
        let covered = 0
        let chance = (1 - p) ** n
        for (let c = 0; c <= n; c++) {
          const { low, high } = clopperPearson(n, c, 0.9)
          if (low <= p && p <= high) covered += chance
          chance *= ((n - c) / (c + 1)) * (p / (1 - p))
        }
        expect(covered, `n = ${n}, p = ${p}`).toBeGreaterThanOrEqual(0.9)
      }
  })
})

describe('wilsonBounds and kornGraubard', () => {
  it('agree with mpmath for real n', () => {
    for (const { rate, n, quantile, wilson: score, kornGraubard: exact } of vectors) {
      if (rate === undefined || quantile === undefined || exact === undefined) continue
      expectBounds(wilsonBounds(rate, n, quantile), score, 1e-13, `Wilson ${rate} of ${n}`)
      expectBounds(kornGraubard(rate, n), exact, 1e-13, `exact ${rate} of ${n}`)
    }
  })

  it('equal the textbook intervals for whole counts', () => {
    const { low, high } = clopperPearson(10, 8)
    expectBounds(kornGraubard(0.8, 10), [low, high], 1e-14, '8 of 10')
  })

  it('keep the digits of a bound near 0 that the difference of the two roots would lose', () => {
    // For a rate far below z²/n the lower root is rate²·n/z².
    expectClose(wilsonBounds(1e-10, 10, 2).low, (1e-20 * 10) / 4, 1e-8)
  })

  it('refuse rates outside [0, 1] and n that is not positive', () => {
    expect(() => wilsonBounds(1.1, 5, 2)).toThrow('rate must be')
    expect(() => wilsonBounds(0.5, 0, 2)).toThrow('n must be above 0')
    expect(() => wilsonBounds(0.5, 5, -1)).toThrow('quantile must be')
    expect(() => kornGraubard(-0.1, 5)).toThrow('rate must be')
    expect(() => kornGraubard(0.5, Number.NaN)).toThrow('n must be')
  })
})

describe('newcombeDifference', () => {
  it('agrees with mpmath and statsmodels', () => {
    for (const v of golden<{
      cA: number
      nA: number
      cB: number
      nB: number
      level: number
      low: number
      high: number
    }>('newcombe'))
      expectBounds(
        newcombeDifference({ n: v.nA, c: v.cA }, { n: v.nB, c: v.cB }, v.level),
        [v.low, v.high],
        2e-13,
        JSON.stringify(v),
      )
  })

  it('is B minus A: positive where B is better, and turned about when they swap', () => {
    const { low, high } = newcombeDifference({ n: 20, c: 2 }, { n: 20, c: 18 })
    expect(low).toBeGreaterThan(0)
    const swapped = newcombeDifference({ n: 20, c: 18 }, { n: 20, c: 2 })
    expectClose(swapped.low, -high, 1e-14)
    expectClose(swapped.high, -low, 1e-14)
  })

  it('names the argument it refuses', () => {
    expect(() => newcombeDifference({ n: 2, c: 3 }, { n: 2, c: 1 })).toThrow('a.c must be')
    expect(() => newcombeDifference({ n: 2, c: 1 }, { n: 0, c: 1 })).toThrow('b.n must be')
    expect(() => newcombeDifference({ n: 2, c: 1 }, { n: 2, c: 1 }, 0)).toThrow('level must be')
  })
})
