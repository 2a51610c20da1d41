import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Grade } from '@assay/contract'
import { scoreTrial } from './score.ts'

const grade = (given: Partial<Grade>): Grade => ({
  name: 'g',
  type: 't',
  score: 1,
  passed: true,
  weight: 1,
  ...given,
})

const anyGrade = fc.record({
  name: fc.constant('g'),
  type: fc.constant('t'),
  score: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  passed: fc.option(fc.boolean()),
  weight: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e9, noNaN: true })),
  required: fc.constantFrom(undefined, true as const),
}) as fc.Arbitrary<Grade>
const anyGrades = fc.array(anyGrade, { maxLength: 8 })
const anyThreshold = fc.option(fc.double({ min: 0, max: 1, noNaN: true }))

describe('scoreTrial', () => {
  it('weights the scores', () => {
    const grades = [grade({ score: 1, weight: 3 }), grade({ score: 0, passed: false })]
    expect(scoreTrial(grades, null)).toEqual({ score: 0.75, passed: false })
    expect(scoreTrial(grades, 0.75)).toEqual({ score: 0.75, passed: true })
    expect(scoreTrial(grades, 0.76)).toEqual({ score: 0.75, passed: false })
  })

  it('is 0 and failed as soon as a required grade failed, whatever the threshold', () => {
    const grades = [grade({ weight: 9 }), grade({ score: 1, passed: false, required: true })]
    expect(scoreTrial(grades, null)).toEqual({ score: 0, passed: false })
    expect(scoreTrial(grades, 0)).toEqual({ score: 0, passed: false })
  })

  it('does not take advice for a failure, even where it is required', () => {
    const advice = grade({ score: 0, passed: null, required: true })
    expect(scoreTrial([grade({}), advice], null)).toEqual({ score: 0.5, passed: true })
  })

  it('leaves grades without a score out of the mean, not out of the verdict', () => {
    const grades = [grade({ score: 0.5 }), grade({ score: null, passed: false, weight: 5 })]
    expect(scoreTrial(grades, null)).toEqual({ score: 0.5, passed: false })
  })

  it('has no score where all weights are 0, and then no threshold decides', () => {
    expect(scoreTrial([grade({ weight: 0 })], null)).toEqual({ score: null, passed: true })
    expect(scoreTrial([grade({ weight: 0 })], 0.5)).toEqual({ score: null, passed: null })
    expect(scoreTrial([grade({ score: null })], 0.5)).toEqual({ score: null, passed: null })
  })

  it('decides nothing without grades, nor with advice alone', () => {
    expect(scoreTrial([], null)).toEqual({ score: null, passed: null })
    expect(scoreTrial([], 0.5)).toEqual({ score: null, passed: null })
    expect(scoreTrial([grade({ passed: null })], null)).toEqual({ score: 1, passed: null })
    expect(scoreTrial([grade({ passed: null })], 1)).toEqual({ score: 1, passed: true })
  })

  it('does not fail a threshold by rounding', () => {
    for (const score of [0.1, 0.3, 0.55, 0.7, 0.95])
      for (let n = 1; n < 20; n++) {
        const grades = Array.from({ length: n }, (_, i) => grade({ score, weight: 0.1 + i / 7 }))
        expect(scoreTrial(grades, score).passed).toBe(true)
        expect(scoreTrial(grades, score + 1e-6).passed).toBe(false)
      }
  })

  it('is between the least and the greatest score, or null', () => {
    fc.assert(
      fc.property(anyGrades, anyThreshold, (grades, threshold) => {
        const { score } = scoreTrial(grades, threshold)
        if (score === null) {
          expect(grades.every(({ score: s, weight }) => s === null || weight === 0)).toBe(true)
          return
        }
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('does not depend on the order of the grades', () => {
    fc.assert(
      fc.property(
        anyGrades,
        anyThreshold,
        fc.infiniteStream(fc.nat()),
        (grades, threshold, keys) => {
          const shuffled = grades
            .map((one) => [keys.next().value as number, one] as const)
            .sort(([a], [b]) => a - b)
            .map(([, one]) => one)
          expect(scoreTrial(shuffled, threshold)).toEqual(scoreTrial(grades, threshold))
        },
      ),
    )
  })

  it('never falls when a grade gets better', () => {
    fc.assert(
      fc.property(
        fc.array(anyGrade, { minLength: 1, maxLength: 8 }),
        anyThreshold,
        fc.nat(),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (grades, threshold, which, gain) => {
          const before = scoreTrial(grades, threshold)
          const at = which % grades.length
          const better = grades.map((one, i) =>
            i === at
              ? {
                  ...one,
                  score: one.score === null ? null : Math.min(1, one.score + gain),
                  passed: one.passed === null ? null : true,
                }
              : one,
          )
          const after = scoreTrial(better, threshold)
          expect(after.score ?? 0).toBeGreaterThanOrEqual(before.score ?? 0)
          if (before.passed === true) expect(after.passed).toBe(true)
        },
      ),
    )
  })
})
