import { describe, expect, it } from 'vitest'
import { MOST_RETRY_AFTER_MS, retryAfterMs } from './retry-after.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')

function wait(headers: Record<string, string>, json: unknown = {}, status = 429): number | null {
  return retryAfterMs({ status, headers, text: '', isUtf8: true }, json, NOW)
}

describe('retryAfterMs', () => {
  it.each([
    ['seconds', { 'retry-after': '7' }, 7000],
    ['fractions of seconds', { 'retry-after': '0.25' }, 250],
    ['a date', { 'retry-after': 'Sun, 01 Mar 2026 12:00:09 GMT' }, 9000],
    ['milliseconds, which are exacter', { 'retry-after-ms': '1500', 'retry-after': '2' }, 1500],
    ['a duration', { 'x-ratelimit-reset': '1m2.5s' }, 62_500],
    ['milliseconds as a duration', { 'x-ratelimit-reset-requests': '120ms' }, 120],
    ['seconds until a limit is full', { 'ratelimit-reset': '30' }, 30_000],
    ['a moment in seconds', { 'x-ratelimit-reset': String(NOW / 1000 + 4) }, 4000],
    ['a moment in milliseconds', { 'x-ratelimit-reset': String(NOW + 4500) }, 4500],
    [
      'a moment by its date',
      { 'anthropic-ratelimit-tokens-reset': '2026-03-01T12:00:20Z' },
      20_000,
    ],
  ])('understands %s', (_, headers, ms) => {
    expect(wait(headers)).toBe(ms)
  })

  it('reads a date by the server’s clock where it shows one', () => {
    const headers = {
      date: 'Sun, 01 Mar 2026 15:00:00 GMT',
      'retry-after': 'Sun, 01 Mar 2026 15:00:05 GMT',
    }
    expect(wait(headers)).toBe(5000)
  })

  it('waits for the slowest limit that is used up, else for the first that is full again', () => {
    const headers = {
      'x-ratelimit-reset-requests': '10s',
      'x-ratelimit-reset-tokens': '50s',
      'x-ratelimit-remaining-requests': '3',
    }
    expect(wait(headers)).toBe(10_000)
    expect(wait({ ...headers, 'x-ratelimit-remaining-tokens': '0' })).toBe(50_000)
    expect(wait({ ...headers, 'x-ratelimit-remaining-requests': '0' })).toBe(10_000)
  })

  it('finds Google’s delay in the body', () => {
    const details = [
      { '@type': 'type.googleapis.com/google.rpc.QuotaFailure' },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' },
    ]
    expect(wait({}, { error: { details } })).toBe(34_500)
    expect(wait({}, [{ error: { details } }])).toBe(34_500)
  })

  it('takes limits for a request to wait only where one was hit', () => {
    expect(wait({ 'x-ratelimit-reset-requests': '10s' }, {}, 500)).toBeNull()
    expect(wait({ 'retry-after': '10' }, {}, 503)).toBe(10_000)
  })

  it('is null for nonsense and never below 0 nor above an hour', () => {
    for (const value of ['', 'soon', '-5', 'NaN', '1e9x', '{}']) {
      expect(wait({ 'retry-after': value, 'x-ratelimit-reset': value })).toBeNull()
    }
    expect(wait({ 'retry-after': 'Sun, 01 Mar 2026 11:00:00 GMT' })).toBe(0)
    expect(wait({ 'retry-after': '999999999' })).toBe(MOST_RETRY_AFTER_MS)
    expect(
      wait({}, { error: { details: [null, { retryDelay: 5 }, { retryDelay: 'later' }] } }),
    ).toBeNull()
  })
})
