import { describe, expect, it } from 'vitest'
import { golden } from '../../test/golden.ts'
import { letterGrade } from '../spec/tiers/letter-grade.ts'
import { gradeProbabilities, resampledMedians } from './grade-probabilities.ts'

describe('resampledMedians', () => {
  it('have the exact distribution of the median over all resamples', () => {
    interface Vector {
      scores?: number[]
      medians?: [number, number][]
    }
    let checked = 0
    for (const { scores, medians } of golden<Vector>('cost-bootstrap')) {
      if (scores === undefined || medians === undefined) continue
      const drawn = resampledMedians(scores, { seed: 4, resamples: 20_000 })
      for (const [value, truth] of medians) {
        const share = drawn.filter((m) => Math.abs(m - value) < 1e-9).length / drawn.length
        const error = Math.sqrt((truth * (1 - truth)) / drawn.length)
        expect(Math.abs(share - truth)).toBeLessThanOrEqual(4.5 * error)
        checked++
      }
    }
    expect(checked).toBeGreaterThan(15)
  })

  it('are as many as asked for, and the same for the same seed', () => {
    const scores = Array.from({ length: 200 }, (_, i) => (i % 3) / 2)
    const medians = resampledMedians(scores, { seed: 3, resamples: 700 })
    expect(medians).toHaveLength(700)
    expect(resampledMedians(scores.toReversed(), { seed: 3, resamples: 700 })).toEqual(medians)
  })

  it('refuse an empty list and NaN', () => {
    expect(() => resampledMedians([], { seed: 1 })).toThrow('scores must not be empty')
    expect(() => resampledMedians([Number.NaN], { seed: 1 })).toThrow('scores must be')
  })
})

describe('gradeProbabilities', () => {
  it('are shares that sum to 1, from the best grade that came up down', () => {
    const scores = [0.97, 0.64, 0.9, 0.96, 0.86, 0.2, 0.65, 0.66]
    expect(gradeProbabilities((score) => letterGrade(score), scores)).toEqual([
      { grade: 'A', probability: 0.25 },
      { grade: 'B', probability: 0.25 },
      { grade: 'D', probability: 0.25 },
      { grade: 'F', probability: 0.25 },
    ])
  })

  it('show how little ten runs of a coarse score settle', () => {
    // Composite scores with an implementation rate of 0.95 and 6 passes of 10: (1 + .95)/2 or
    // (0 + .95)/2.
    const runs = Array.from({ length: 10 }, (_, i) => (i < 6 ? 0.975 : 0.475))
    const grades = gradeProbabilities(
      (score) => letterGrade(score),
      resampledMedians(runs, { seed: 9 }),
    )
    expect(grades.map((g) => g.grade)).toEqual(
      ['A', 'D', 'F'].filter((g) => grades.some((x) => x.grade === g)),
    )
    const a = grades.find((g) => g.grade === 'A')?.probability as number
    // The median gets an A if more than half of a resample passed: P(Binomial(10, 0.6) > 5) = 0.6331.
    expect(Math.abs(a - 0.6331032576)).toBeLessThan(0.02)
  })

  it('refuse an empty list and NaN', () => {
    expect(() => gradeProbabilities(String, [])).toThrow('scores must not be empty')
    expect(() => gradeProbabilities(String, [Number.NaN])).toThrow('scores must be')
  })
})
