import { describe, expect, it } from 'vitest'
import { durationMs, parseDuration, parseGraderDuration } from './duration.ts'

describe('durations', () => {
  it.each([
    ['500ms', 500],
    ['90s', 90_000],
    ['10m', 600_000],
    ['1h30m', 5_400_000],
    ['1h 30m', 5_400_000],
    ['1m30.5s', 90_500],
    ['1h1m1s1ms', 3_661_001],
    ['1.5s', 1500],
    ['2 m', 120_000],
    ['1m5ms', 60_005],
    [30, 30_000],
    [0.25, 250],
  ])('reads %j', (given, ms) => {
    expect(parseDuration(given)).toBe(ms)
    expect(parseGraderDuration(given)).toBe(ms)
    expect(durationMs(given)).toBe(ms)
  })

  it.each([
    ...['', ' ', 's', '10', '1.s', '.5s', '-1s', '+1s', '1e3s', '3 days', '10S', '1d'],
    ...['30m1h', '1m1m', '1ms1s', '1s1m', ' 1s', '1s ', '1s\n', '1,5s', '1h30', '٣s'],
    ...[Number.NaN, Number.POSITIVE_INFINITY, -1],
  ])('does not read %j', (given) => {
    expect(durationMs(given)).toBeNull()
  })

  it('keeps an answer’s between 1 ms and a week, in whole milliseconds', () => {
    expect(['168h', '167h59m60s', '0.6ms', '1.4ms'].map(parseDuration)).toEqual([
      604_800_000, 604_800_000, 1, 1,
    ])
    expect(['168h1ms', '0s', '0.4ms', 0].map(parseDuration)).toEqual([null, null, null, null])
  })

  it('keeps a grader’s between 1 ms and a day, with its fractions', () => {
    expect(['24h', '1.5ms'].map(parseGraderDuration)).toEqual([86_400_000, 1.5])
    expect(['24h1ms', '0.9ms'].map(parseGraderDuration)).toEqual([null, null])
  })
})
