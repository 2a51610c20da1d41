import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import { uniformInteger, random } from '../resample/random.ts'
import { normalQuantile } from '../special/normal.ts'
import { cohenKappa, type KappaWeights } from './cohen-kappa.ts'

const WEIGHTS: readonly KappaWeights[] = ['none', 'linear', 'quadratic']
const pairs = fc.array(fc.tuple(fc.nat(4), fc.nat(4)), { minLength: 1, maxLength: 30 })

describe('cohenKappa', () => {
  it('over groups agrees with the jackknife over groups, in 60 digits', () => {
    interface Grouped {
      readonly a: readonly number[]
      readonly b: readonly number[]
      readonly groups: readonly number[]
      readonly weights: KappaWeights
      readonly level: number
      readonly kappa: number
      readonly se: number
      readonly low: number
      readonly high: number
    }
    for (const [i, v] of golden<Grouped>('cohen-kappa-grouped').entries()) {
      const { value, se, interval } = cohenKappa(v.a, v.b, v.weights, v.level, v.groups)
      expectClose(value as number, v.kappa, 1e-12, `kappa ${i}`)
      expectClose(se as number, v.se, 1e-12, `se ${i}`)
      expectClose(interval?.low as number, v.low, 1e-10, `low ${i}`)
      expectClose(interval?.high as number, v.high, 1e-10, `high ${i}`)
    }
  })

  it('agrees with statsmodels, weighted and not', () => {
    interface Vector {
      a: number[]
      b: number[]
      weights: KappaWeights
      kappa: number
      se: number
    }
    for (const v of golden<Vector>('cohen-kappa')) {
      const { value, interval } = cohenKappa(v.a, v.b, v.weights, 0.9)
      const about = `${v.weights} ${v.a.length}`
      expectClose(value as number, v.kappa, 1e-12, about)
      const half = normalQuantile(0.95) * v.se
      if (v.se === 0) expect(interval, about).toBeUndefined()
      else {
        expect(interval?.low, about).toBeCloseTo(Math.max(-1, v.kappa - half), 11)
        expect(interval?.high, about).toBeCloseTo(Math.min(1, v.kappa + half), 11)
      }
    }
  })

  it('is symmetric in the judges and lies in [−1, 1]', () => {
    fc.assert(
      fc.property(pairs, fc.constantFrom(...WEIGHTS), (list, weights) => {
        const [a, b] = [list.map(([x]) => x), list.map(([, y]) => y)]
        const [ab, ba] = [cohenKappa(a, b, weights), cohenKappa(b, a, weights)]
        if (ab.value === null) {
          expect(ba.value).toBeNull()
          return
        }
        expect(ba.value).toBeCloseTo(ab.value, 12)
        expect(ab.value).toBeLessThanOrEqual(1)
        expect(ab.value).toBeGreaterThanOrEqual(-1 - 1e-12)
        if (ab.interval === undefined) expect(ab.reason).toBeTypeOf('string')
        else expect(ab.interval.low).toBeLessThan(ab.interval.high)
      }),
    )
  })

  it('makes all weights the same for two values', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(1), fc.nat(1)), { minLength: 1 }), (list) => {
        const [a, b] = [list.map(([x]) => x), list.map(([, y]) => y)]
        const [none, linear, quadratic] = WEIGHTS.map((w) => cohenKappa(a, b, w).value)
        expect(linear).toBe(none)
        expect(quadratic).toBe(none)
      }),
    )
  })

  it('covers the true kappa about as often as it says (100 items, three values)', () => {
    // The second judge copies the first with probability 0.6 and otherwise draws uniformly, so the
    // true kappa is 0.6.
    let covered = 0
    const runs = 1500
    for (let run = 0; run < runs; run++) {
      const draw = random(41, run)
      const a = Array.from({ length: 100 }, () => uniformInteger(draw, 3))
      const b = a.map((x) => (draw() < 0.6 ? x : uniformInteger(draw, 3)))
      const { low, high } = cohenKappa(a, b).interval as { low: number; high: number }
      if (low <= 0.6 && high >= 0.6) covered++
    }
    expect(covered / runs).toBeGreaterThan(0.925)
    expect(covered / runs).toBeLessThan(0.965)
  })

  it('has no value without variation and no interval without disagreement', () => {
    expect(cohenKappa([1, 1], [1, 1])).toMatchObject({ value: null, n: 2 })
    expect(cohenKappa([1, 0], [1, 0])).toEqual({
      value: 1,
      reason: 'the judges never disagreed: no spread was seen',
      n: 2,
    })
    // One judge always gives 1, so the observed agreement equals the chance agreement.
    expect(cohenKappa([1, 1, 1, 1], [1, 0, 1, 0])).toMatchObject({ value: 0, n: 4 })
    expect(cohenKappa([0, 1], [1, 0])).toMatchObject({ value: -1 })
    expect(cohenKappa([0, 1], [1, 0]).interval).toBeUndefined()
  })

  it.each([
    [[], [], 0.95, 'a must not be empty'],
    [[1], [1, 2], 0.95, 'same length'],
    [[1], [Number.NaN], 0.95, 'b must be'],
    [[Infinity], [1], 0.95, 'a must be'],
    [[1, 2], [1, 2], 0, 'level must be'],
  ])('refuses %j and %j at level %s', (a, b, level, message) => {
    expect(() => cohenKappa(a, b, 'none', level)).toThrow(message)
  })
})
