/**
 * Reads how long a provider asks us to wait. There is one standard header (RFC 9110, 10.2.3: seconds or a
 * date) and several others: milliseconds; times and durations until a limit is reset (OpenAI, Anthropic,
 * OpenRouter, the IETF draft); and Google's `RetryInfo` in the body.
 */
import { durationMs } from '@assay/contract'
import type { Reply } from './connection.ts'
import { child, isRecord } from '../json.ts'

/** The longest wait is a week (`--max-wait`), which also fits into a timer. */
export const MOST_RETRY_AFTER_MS = 7 * 24 * 3_600_000

/** Returns the milliseconds to wait; null if the reply does not say. `now` is in milliseconds since 1970. */
export function retryAfterMs(reply: Reply, json: unknown, now: number): number | null {
  const asked =
    milliseconds(reply.headers['retry-after-ms']) ??
    retryAfter(reply.headers, now) ??
    retryInfo(json) ??
    // These headers come with every reply. They ask for a wait only if a limit was reached.
    (reply.status === 429 ? refill(reply.headers, now) : null)
  if (asked === null || Number.isNaN(asked)) return null
  return Math.min(Math.max(0, Math.round(asked)), MOST_RETRY_AFTER_MS)
}

function milliseconds(value: string | undefined): number | null {
  return value !== undefined && /^\d+(\.\d+)?$/u.test(value.trim()) ? Number(value) : null
}

function retryAfter(headers: Reply['headers'], now: number): number | null {
  const value = headers['retry-after']?.trim()
  if (value === undefined) return null
  if (/^\d+(\.\d+)?$/u.test(value)) return Number(value) * 1000
  // Date.parse accepts nearly any text, even "-5".
  const moment = /\d\d:\d\d:\d\d/u.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(moment)) return null
  // Uses the server's own clock if the reply contains it. Then a wrong clock on either side does not matter.
  const serverNow = Date.parse(headers['date'] ?? '')
  return moment - (Number.isNaN(serverNow) ? now : serverNow)
}

/** Google: error.details[] holds { "@type": "….RetryInfo", "retryDelay": "34.5s" }. */
function retryInfo(json: unknown): number | null {
  const error = child(Array.isArray(json) ? json[0] : json, 'error')
  const details = child(error, 'details')
  if (!Array.isArray(details)) return null
  for (const detail of details) {
    const delay = isRecord(detail) ? detail['retryDelay'] : undefined
    if (typeof delay === 'string') return durationMs(delay)
  }
  return null
}

/**
 * Returns the time until a limit is reset. A provider may have several limits (requests, tokens). If some are
 * used up, the slowest of these counts; otherwise the one that is reset first.
 */
function refill(headers: Reply['headers'], now: number): number | null {
  const empty: number[] = []
  const others: number[] = []
  for (const [name, value] of Object.entries(headers)) {
    if (!/^(?:x-|anthropic-)?ratelimit-(?:reset(?:-.+)?|.+-reset)$/u.test(name)) continue
    const wait = until(value.trim(), now)
    if (wait === null) continue
    const left = headers[name.replace('reset', 'remaining')]
    if (left !== undefined && Number(left) === 0) empty.push(wait)
    else others.push(wait)
  }
  if (empty.length > 0) return Math.max(...empty)
  return others.length > 0 ? Math.min(...others) : null
}

/**
 * Returns the milliseconds to wait. A number is in seconds from now or, if it is large enough, a time since
 * 1970 in seconds or milliseconds.
 */
function until(value: string, now: number): number | null {
  if (/^\d+(\.\d+)?$/u.test(value)) {
    const number = Number(value)
    if (number >= 1e11) return number - now
    return number >= 1e8 ? number * 1000 - now : number * 1000
  }
  const wait = durationMs(value)
  if (wait !== null) return wait
  const date = /^\d{4}-\d\d-\d\dT/u.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? null : date - now
}
