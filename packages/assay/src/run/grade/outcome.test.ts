import { describe, expect, it } from 'vitest'
import type { Grade } from '@assay/contract'
import { gradedOutcome } from './outcome.ts'

const grade = (given: Partial<Grade>): Grade => ({
  name: 'g',
  type: 'program',
  score: 1,
  passed: true,
  weight: 1,
  ...given,
})

describe('settleGraded', () => {
  it.each([0.9, null])('is errored where nobody gave a verdict, with score %s', (score) => {
    expect(gradedOutcome([grade({ score, passed: null })], null)).toEqual({
      outcome: 'errored',
      reason: {
        code: 'grader-error',
        text: 'no grader gave a verdict, and the case has no threshold',
      },
      score: null,
    })
  })

  it('is errored where there is a threshold and no score', () => {
    for (const passed of [true, false, null])
      expect(gradedOutcome([grade({ score: null, passed })], 0.5)).toMatchObject({
        outcome: 'errored',
        reason: {
          code: 'grader-error',
          text: 'no grader gave a score that counts, and the case has a threshold of 0.5',
        },
      })
  })

  it('fails below the threshold, and where a required grade failed without a score', () => {
    expect(gradedOutcome([grade({ score: 0.25, passed: null })], 0.5)).toEqual({
      outcome: 'failed',
      reason: { code: 'wrong-answer', text: 'score 0.25 is below the threshold 0.5' },
      score: 0.25,
    })
    const required = grade({ score: null, passed: false, required: true })
    expect(gradedOutcome([required], 0.5)).toMatchObject({ outcome: 'failed', score: 0 })
  })

  it('leaves advice out of the verdict', () => {
    const advice = grade({ score: 0, passed: null })
    expect(gradedOutcome([grade({}), advice], null)).toEqual({ outcome: 'passed', score: 0.5 })
  })
})
