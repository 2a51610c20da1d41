import { describe, expect, it } from 'vitest'
import { durationMsOf } from './duration.ts'

const time = { startedAt: '2026-01-01T00:00:00.000Z', answerMs: 1000, waitMs: 200, gradeMs: 30 }

describe('the duration of a trial', () => {
  it('is what was measured from its start to its end', () => {
    expect(durationMsOf({ ...time, durationMs: 5500 })).toBe(5500)
    expect(durationMsOf({ ...time, durationMs: 0 })).toBe(0)
  })

  it('is the sum of its parts where the log does not have it', () => {
    expect(durationMsOf(time)).toBe(1230)
    expect(durationMsOf({ ...time, waitMs: Number.NaN, gradeMs: Number.NaN })).toBe(1000)
    expect(durationMsOf({ ...time, answerMs: Number.NaN })).toBeNaN()
  })
})
