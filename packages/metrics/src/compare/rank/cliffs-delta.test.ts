import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../../test/golden.ts'
import { random } from '../../resample/random.ts'
import { cliffsDelta, type GroupsOfTwo } from './cliffs-delta.ts'

interface Vector {
  x: number[]
  y: number[]
  level: number
  delta: number
  low: number
  high: number
}

const sample = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 15 })

describe('cliffsDelta', () => {
  it('over groups agrees with the jackknife over groups of all pairs, in 60 digits', () => {
    interface Grouped extends Vector {
      readonly groups: GroupsOfTwo
    }
    for (const [i, v] of golden<Grouped>('cliffs-delta-grouped').entries()) {
      const { delta, interval } = cliffsDelta(v.x, v.y, v.level, v.groups)
      expectClose(delta, v.delta, 1e-14, `delta ${i}`)
      expectClose(interval.low, v.low, 1e-10, `low ${i}`)
      expectClose(interval.high, v.high, 1e-10, `high ${i}`)
    }
  })

  it('agrees with all pairs in 40 digits, interval included', () => {
    for (const [i, v] of golden<Vector>('cliffs-delta').entries()) {
      const { delta, interval } = cliffsDelta(v.x, v.y, v.level)
      expectClose(delta, v.delta, 1e-15, `delta ${i}`)
      expectClose(interval.low, v.low, 1e-12, `low ${i}`)
      expectClose(interval.high, v.high, 1e-12, `high ${i}`)
    }
  })

  it('is the share of pairs above minus the share below', () => {
    fc.assert(
      fc.property(sample, sample, (x, y) => {
        let sum = 0
        for (const a of x) for (const b of y) sum += Math.sign(a - b)
        expect(cliffsDelta(x, y).delta).toBe(sum / (x.length * y.length))
      }),
    )
  })

  it('has an interval with the estimate inside, never of no width, within [-1, 1]', () => {
    fc.assert(
      fc.property(sample, sample, (x, y) => {
        const { delta, interval } = cliffsDelta(x, y)
        expect(interval.low).toBeLessThanOrEqual(delta)
        expect(interval.high).toBeGreaterThanOrEqual(delta)
        expect(interval.high - interval.low).toBeGreaterThan(0.1)
        expect(interval.low).toBeGreaterThanOrEqual(-1)
        expect(interval.high).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('mirrors when the samples change places', () => {
    fc.assert(
      fc.property(sample, sample, (x, y) => {
        const { delta, interval } = cliffsDelta(x, y)
        const mirrored = cliffsDelta(y, x)
        expect(mirrored.delta + delta).toBe(0)
        expect(Math.abs(mirrored.interval.low + interval.high)).toBeLessThan(1e-12)
      }),
    )
  })

  it('covers the truth at unequal spreads and sizes, where the formula alone fails', () => {
    const next = random(2006)
    const gauss = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
    const runs = 600
    let covered = 0
    for (let i = 0; i < runs; i++) {
      const x = Array.from({ length: 50 }, gauss)
      const y = Array.from({ length: 10 }, () => 10 * gauss())
      const { low, high } = cliffsDelta(x, y).interval
      if (low <= 0 && high >= 0) covered++
    }
    expect(covered / runs).toBeGreaterThan(0.93)
  })

  it('refuses what is not two samples', () => {
    expect(() => cliffsDelta([], [1])).toThrow('x must not be empty')
    expect(() => cliffsDelta([1], [Infinity])).toThrow('y must be')
    expect(() => cliffsDelta([1], [1], 1)).toThrow('level must be')
  })
})
