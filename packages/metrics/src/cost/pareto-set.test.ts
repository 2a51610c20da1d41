import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { golden } from '../../test/golden.ts'
import type { CaseCost } from './cost-of-pass-ratio.ts'
import { paretoMembership, paretoSet } from './pareto-set.ts'

const point = fc.record({ cost: fc.nat(5), quality: fc.nat(5) })

describe('paretoSet', () => {
  it('is what comparing every pair gives', () => {
    fc.assert(
      fc.property(fc.array(point, { minLength: 1, maxLength: 12 }), (points) => {
        const dominated = points.map((p) =>
          points.some(
            (q) =>
              q.cost <= p.cost &&
              q.quality >= p.quality &&
              (q.cost < p.cost || q.quality > p.quality),
          ),
        )
        expect(paretoSet(points)).toEqual(dominated.flatMap((d, i) => (d ? [] : [i])))
      }),
    )
  })

  it('keeps equal points together', () => {
    const p = { cost: 1, quality: 0.5 }
    expect(paretoSet([p, { cost: 2, quality: 0.5 }, p])).toEqual([0, 2])
  })

  it('refuses an empty list and NaN', () => {
    expect(() => paretoSet([])).toThrow('points must not be empty')
    expect(() => paretoSet([{ cost: Number.NaN, quality: 1 }])).toThrow('cost must be')
    expect(() => paretoSet([{ cost: 1, quality: Infinity }])).toThrow('quality must be')
  })
})

describe('paretoMembership', () => {
  it('comes to the exact share over all resamples', () => {
    interface Vector {
      subjects?: CaseCost[][]
      membership?: number[]
    }
    let checked = 0
    for (const { subjects, membership } of golden<Vector>('cost-bootstrap')) {
      if (subjects === undefined || membership === undefined) continue
      const { probability, resamples } = paretoMembership(subjects, { seed: 21, resamples: 20_000 })
      expect(resamples).toBe(20_000)
      for (const [s, truth] of membership.entries()) {
        const error = Math.sqrt((truth * (1 - truth)) / resamples)
        expect(Math.abs((probability[s] ?? 0) - truth)).toBeLessThanOrEqual(4 * error)
        checked++
      }
    }
    expect(checked).toBe(5)
  })

  it('draws the same cases for all subjects: a copy is in the set whenever its original is', () => {
    const a = Array.from({ length: 12 }, (_, i) => ({ n: 3, c: i % 4, cost: 1 + (i % 5) }))
    const b = Array.from({ length: 12 }, (_, i) => ({
      n: 3,
      c: (i * 7) % 4,
      cost: 1 + ((i * 3) % 5),
    }))
    const [first, , copy] = paretoMembership([a, b, a], { seed: 2, resamples: 600 }).probability
    expect(copy).toBe(first)
    expect(first).toBeGreaterThan(0)
    expect(first).toBeLessThan(1)
  })

  it('is certain where one subject is cheaper and better in every case', () => {
    const good = [1, 2, 3].map((cost) => ({ n: 2, c: 2, cost }))
    const bad = [2, 3, 4].map((cost) => ({ n: 2, c: 1, cost }))
    expect(paretoMembership([bad, good], { seed: 1, resamples: 99 })).toEqual({
      set: [1],
      probability: [0, 1],
      resamples: 99,
    })
  })

  it('refuses unpaired subjects', () => {
    const x = { n: 1, c: 1, cost: 1 }
    expect(() => paretoMembership([], { seed: 1 })).toThrow('subjects must not be empty')
    expect(() => paretoMembership([[x], [x, x]], { seed: 1 })).toThrow('must have the same length')
    expect(() => paretoMembership([[{ ...x, c: 2 }]], { seed: 1 })).toThrow('c must be')
  })
})
