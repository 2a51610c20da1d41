import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import { random } from '../resample/random.ts'
import { pairedDifference } from './paired-difference.ts'

interface Vector {
  a: number[]
  b: number[]
  groups: (string | number)[] | null
  level: number
  difference: number
  se: number
  df: number
  p: number
  searched: boolean
  low: number
  high: number
}

const rate = fc.integer({ min: 0, max: 10 }).map((c) => c / 10)
const pairs = fc
  .array(fc.tuple(rate, rate), { minLength: 2, maxLength: 30 })
  .map((list) => ({ a: list.map(([a]) => a), b: list.map(([, b]) => b) }))

describe('pairedDifference', () => {
  it("agrees with scipy's paired t test, and with statsmodels' clustered OLS for groups", () => {
    for (const [i, v] of golden<Vector>('paired-difference').entries()) {
      const result = pairedDifference(v.a, v.b, v.level, v.groups ?? undefined)
      const relative = 1e-13
      expectClose(result.difference, v.difference, relative, `difference ${i}`)
      expectClose(result.se as number, v.se, relative, `se ${i}`)
      // On the side that is widened for skewness, p is searched for.
      expectClose(result.p as number, v.p, v.searched ? 1e-6 : relative, `p ${i}`)
      // For scores from 0 to 1, the bounds are limited to [−1, 1].
      const isBounded = [...v.a, ...v.b].every((value) => value >= 0 && value <= 1)
      const within = (bound: number) => (isBounded ? Math.min(1, Math.max(-1, bound)) : bound)
      expectClose(result.interval?.low as number, within(v.low), relative, `low ${i}`)
      expectClose(result.interval?.high as number, within(v.high), relative, `high ${i}`)
      expect(result.df).toBe(v.df)
      expect(result.units).toBe(v.groups === null ? v.a.length : new Set(v.groups).size)
    }
  })

  it('reaches further where few cases carry the change, and hardly further where many do', () => {
    const widths = (b: readonly number[]): [number, number] => {
      const a = b.map(() => 0.5)
      const { interval, difference } = pairedDifference(a, b)
      return [difference - (interval?.low as number), (interval?.high as number) - difference]
    }
    const few = Array.from({ length: 50 }, (_, i) => (i === 0 ? 0.6 : 0.5))
    const [below, above] = widths(few)
    // One event: its exact upper bound is 5.57 events, and a t interval ends at 3.
    expectClose(above / 0.002, 4.57, 0.02)
    expectClose(below / 0.002, 2.01, 0.001)
    const [down, up] = widths(Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? 0.4 : 0.6)))
    expectClose(up, down, 1e-9)
  })

  it('mirrors when A and B change places', () => {
    fc.assert(
      fc.property(pairs, ({ a, b }) => {
        const there = pairedDifference(a, b)
        const back = pairedDifference(b, a)
        expect(back.difference + there.difference).toBe(0)
        expect(back.p).toBe(there.p)
        expect((back.interval?.low as number) + (there.interval?.high as number)).toBe(0)
      }),
    )
  })

  it('never has an interval of no width, and always holds the difference', () => {
    fc.assert(
      fc.property(pairs, ({ a, b }) => {
        const { interval, difference, p } = pairedDifference(a, b)
        expect((interval?.high as number) - (interval?.low as number)).toBeGreaterThan(0.01)
        expect(interval?.low).toBeLessThanOrEqual(difference)
        expect(interval?.high).toBeGreaterThanOrEqual(difference)
        expect(p).toBeGreaterThan(0)
        expect(p).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('rejects exactly when the interval excludes 0', () => {
    fc.assert(
      fc.property(pairs, ({ a, b }) => {
        const { interval, p } = pairedDifference(a, b, 0.9)
        const excludes = (interval?.low as number) > 0 || (interval?.high as number) < 0
        expect((p as number) < 1 - 0.9).toBe(excludes)
      }),
    )
  })

  it('is no wider for groups of one case each, and treats equal cases in groups as one', () => {
    const a = [0.2, 0.4, 0.6, 0.8, 0.4]
    const b = [0.4, 0.4, 1, 0.8, 0.2]
    const plain = pairedDifference(a, b)
    expect(pairedDifference(a, b, 0.95, ['a', 'b', 'c', 'd', 'e']).se).toBe(plain.se)
    const twice = pairedDifference([...a, ...a], [...b, ...b], 0.95, [0, 1, 2, 3, 4, 0, 1, 2, 3, 4])
    expectClose(twice.se as number, plain.se as number, 1e-14)
    expect(twice).toMatchObject({ n: 10, units: 5, df: 4 })
  })

  it('allows for unseen cases where all agree, instead of claiming certainty', () => {
    const same = pairedDifference(
      Array.from({ length: 20 }, () => 0.6),
      Array.from({ length: 20 }, () => 0.6),
    )
    expect(same).toMatchObject({ difference: 0, se: 0, p: 1 })
    expectClose(same.interval?.high as number, 1 - 0.025 ** (1 / 20), 1e-14)
    expectClose(same.interval?.low as number, -(1 - 0.025 ** (1 / 20)), 1e-14)
    expect(same.interval?.method).toBe('unseen share of equal cases')
  })

  it('sees that 0.3 − 0.2 and 0.8 − 0.7 agree although the doubles differ', () => {
    const shifted = pairedDifference([0.2, 0.7, 0.1, 0.5, 0.3], [0.3, 0.8, 0.2, 0.6, 0.4])
    expect(shifted.se).toBe(0)
    const agreeing = 0.025 ** (1 / 5)
    expectClose(shifted.interval?.low as number, 1.1 * agreeing - 1, 1e-12)
    expectClose(shifted.interval?.high as number, 1 - 0.9 * agreeing, 1e-12)
    expectClose(shifted.p as number, 1, 1e-15)
  })

  it('stays within [-1, 1] and does not claim p = 0 where everything flipped', () => {
    const flipped = pairedDifference([0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1])
    expect(flipped.interval?.high).toBe(1)
    expectClose(flipped.interval?.low as number, 2 * 0.025 ** (1 / 6) - 1, 1e-14)
    expectClose(flipped.p as number, 2 / 64, 1e-15)
    expect(pairedDifference([1, 1], [0, 0]).interval?.low).toBe(-1)
  })

  it('covers a true mean of 0 as often as it says, where cases that all agree were only lucky', () => {
    // A difference of 0.5 in two of three cases and of −1 in the third: a mean of 0.
    const draw = random(1)
    let missed = 0
    for (let i = 0; i < 4000; i++) {
      const b = Array.from({ length: 5 }, () => (draw() < 2 / 3 ? 1 : 0))
      const a = b.map((value) => (value === 1 ? 0.5 : 1))
      const { se, interval } = pairedDifference(a, b)
      if (se === 0 && interval !== null && (interval.low > 0 || interval.high < 0)) missed++
    }
    expect(missed / 4000).toBeLessThan(0.05)
  })

  it('rejects exactly when the interval excludes 0, also where all cases agree', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -10, max: 10 }),
        fc.integer({ min: 2, max: 60 }),
        fc.constantFrom(0.5, 0.9, 0.95, 0.99),
        (tenths, n, level) => {
          const d = tenths / 10
          const a = Array.from({ length: n }, () => Math.max(0, -d))
          const b = a.map((value) => value + d)
          const { interval, p } = pairedDifference(a, b, level)
          const excludes = (interval?.low as number) > 0 || (interval?.high as number) < 0
          expect((p as number) < 1 - level).toBe(excludes)
        },
      ),
    )
  })

  it('covers a true mean of 0 where half of the cases gain a point and half lose one', () => {
    // Five cases agree in 2 of 32 suites, which is more than 5 %. Both signs must be allowed for.
    const gains = pairedDifference([0, 0, 0, 0, 0], [1, 1, 1, 1, 1])
    expect(gains.interval?.low).toBeLessThan(0)
    expectClose(gains.p as number, 2 / 32, 1e-15)
  })

  it('counts units, not cases, where all groups agree', () => {
    const grouped = pairedDifference([0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5], 0.95, [
      'a',
      'a',
      'b',
      'b',
    ])
    expectClose(grouped.interval?.high as number, 1 - Math.sqrt(0.025), 1e-14)
  })

  it('has no interval with one unit, nor where all agree on a scale without bounds', () => {
    expect(pairedDifference([0.2], [0.7])).toEqual({
      difference: 0.49999999999999994,
      n: 1,
      units: 1,
      se: null,
      df: null,
      p: null,
      interval: null,
    })
    expect(pairedDifference([0, 1], [1, 1], 0.95, ['x', 'x'])).toMatchObject({
      units: 1,
      interval: null,
    })
    expect(pairedDifference([2, 3], [4, 5])).toMatchObject({
      difference: 2,
      se: 0,
      p: null,
      interval: null,
    })
  })

  it('refuses lists that do not belong together', () => {
    expect(() => pairedDifference([1], [1, 2])).toThrow('a and b must have the same length')
    expect(() => pairedDifference([], [])).toThrow('a must not be empty')
    expect(() => pairedDifference([Number.NaN], [1])).toThrow('a must be')
    expect(() => pairedDifference([1], [Infinity])).toThrow('b must be')
    expect(() => pairedDifference([1, 0], [1, 0], 1)).toThrow('level must be')
    expect(() => pairedDifference([1, 0], [1, 0], 0.9, ['x'])).toThrow(
      'groups and a must have the same length',
    )
  })

  it('keeps the interval of two scores from 0 to 1 within the possible range', () => {
    const { interval, p } = pairedDifference([0.4, 0.5], [0.6, 0])
    expect([interval?.low, interval?.high]).toEqual([-1, 1])
    expect(p).toBeGreaterThan(0.5)
    expect(pairedDifference([4, 5], [6, 0]).interval?.low).toBeLessThan(-1)
  })
})
