import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { golden } from '../../../test/golden.ts'
import { random } from '../../resample/random.ts'
import { rankSets } from './rank-sets.ts'

const board = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 12 }))
  .chain(([subjects, cases]) =>
    fc.array(
      fc.array(
        fc.integer({ min: 0, max: 5 }).map((c) => c / 5),
        { minLength: cases, maxLength: cases },
      ),
      { minLength: subjects, maxLength: subjects },
    ),
  )

describe('rankSets', () => {
  it("agrees with scipy's one-sided tests under Holm, where no other correction would", () => {
    const vectors = golden<{ values: number[][]; level: number; sets: number[][] }>('rank-sets')
    for (const v of vectors)
      expect(rankSets(v.values, v.level).map(({ best, worst }) => [best, worst])).toEqual(v.sets)
  })

  it('separates what the cases separate and keeps the rest together', () => {
    const strong = [1, 0.9, 1, 0.8, 1, 0.9, 1, 1]
    const alike = [0.9, 1, 0.9, 1, 0.8, 1, 1, 0.9]
    const weak = [0.1, 0, 0.2, 0.1, 0, 0.3, 0.1, 0]
    expect(rankSets([weak, strong, alike]).map(({ best, worst }) => [best, worst])).toEqual([
      [3, 3],
      [1, 2],
      [1, 2],
    ])
  })

  it('always holds the place by the mean, in sets within 1 to M', () => {
    fc.assert(
      fc.property(board, (values) => {
        const sets = rankSets(values)
        for (const { mean, best, worst } of sets) {
          const better = sets.filter((other) => other.mean > mean + 1e-12).length
          const worse = sets.filter((other) => other.mean < mean - 1e-12).length
          expect(best).toBeGreaterThanOrEqual(1)
          expect(worst).toBeLessThanOrEqual(values.length)
          expect(best).toBeLessThanOrEqual(1 + better)
          expect(worst).toBeGreaterThanOrEqual(values.length - worse)
        }
      }),
    )
  })

  it('proves nothing more at a higher confidence', () => {
    fc.assert(
      fc.property(board, (values) => {
        const wide = rankSets(values, 0.99)
        for (const [i, { best, worst }] of rankSets(values, 0.9).entries()) {
          expect(wide[i]?.best).toBeLessThanOrEqual(best)
          expect(wide[i]?.worst).toBeGreaterThanOrEqual(worst)
        }
      }),
    )
  })

  it('corrects for the number of pairs: p = 0.028 separates two subjects but not three', () => {
    // Paired t over six cases: p = 0.028.
    const a = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
    const b = [0.6, 0.8, 0.5, 0.7, 0.9, 0.6]
    expect(rankSets([a, b])[0]).toMatchObject({ best: 2, worst: 2 })
    expect(rankSets([a, b, b.map((v) => 1.1 - v)])[0]).toMatchObject({ best: 1 })
  })

  it('gives the whole range with one unit, and to values that agree without bounds', () => {
    expect(rankSets([[0], [1]]).map(({ best, worst }) => [best, worst])).toEqual([
      [1, 2],
      [1, 2],
    ])
    expect(
      rankSets(
        [
          [0, 0.1, 0],
          [1, 0.9, 1],
        ],
        0.95,
        ['x', 'x', 'x'],
      )[0],
    ).toMatchObject({ best: 1, worst: 2 })
    expect(
      rankSets([
        [2, 3, 4],
        [3, 4, 5],
      ])[0],
    ).toMatchObject({ best: 1, worst: 2 })
    expect(rankSets([[0.3, 0.4]])).toEqual([{ mean: 0.35, best: 1, worst: 1 }])
  })

  it('covers all true ranks: four equal subjects are split in at most 5 % of suites', () => {
    const next = random(77)
    const runs = 1000
    let split = 0
    for (let run = 0; run < runs; run++) {
      const cases = Array.from({ length: 20 }, () => next())
      const values = Array.from({ length: 4 }, () =>
        cases.map((p) => [0, 1, 2, 3, 4].filter(() => next() < p).length / 5),
      )
      if (rankSets(values).some(({ best, worst }) => best > 1 || worst < 4)) split++
    }
    expect(split / runs).toBeLessThanOrEqual(0.05 + 2 * Math.sqrt((0.05 * 0.95) / runs))
  })

  it('refuses tables with holes', () => {
    expect(() => rankSets([])).toThrow('values must not be empty')
    expect(() => rankSets([[], []])).toThrow('values of a subject must not be empty')
    expect(() => rankSets([[1, 2], [1]])).toThrow('must have the same length')
    expect(() =>
      rankSets(
        [
          [1, 2],
          [1, 0],
        ],
        1.5,
      ),
    ).toThrow('level must be')
  })
})
