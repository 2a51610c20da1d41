/**
 * Reads from a reply how long the provider asks to wait. The standard header (RFC 9110, 10.2.3) has seconds or a date.
 * Some providers have other headers: with milliseconds, or with the time or duration until a limit is reset (OpenAI,
 * Anthropic, OpenRouter, the IETF draft). Google has `RetryInfo` in the body.
 */
import { durationMs } from '@assay/contract'
import type { Reply } from './connection.ts'
import { child, isRecord } from '../json.ts'

/**
 * The longest wait that is returned: a week. It is also the largest value of `--max-wait`, and a timer can wait that
 * long.
 */
export const MOST_RETRY_AFTER_MS = 7 * 24 * 3_600_000

/** Returns the milliseconds to wait. Returns null if the reply does not say. `now` is in milliseconds since 1970. */
export function retryAfterMs(reply: Reply, json: unknown, now: number): number | null {
  const asked =
    milliseconds(reply.headers['retry-after-ms']) ??
    retryAfter(reply.headers, now) ??
    retryInfo(json) ??
    // Every reply has headers about resets. They ask for a wait only if the status is 429.
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
  // A date must contain a time of day, because Date.parse accepts nearly any text, even "-5".
  const moment = /\d\d:\d\d:\d\d/u.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(moment)) return null
  // If the reply contains the server's time, the wait is computed from it. So a wrong clock on this machine does no
  // harm.
  const serverNow = Date.parse(headers['date'] ?? '')
  return moment - (Number.isNaN(serverNow) ? now : serverNow)
}

/** Reads Google's format: error.details[] contains { "@type": "….RetryInfo", "retryDelay": "34.5s" }. */
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
 * Returns the time until a limit is reset. A provider may have several limits, for example on requests and on tokens.
 * If some limits are used up, returns the longest wait of these. Otherwise returns the shortest wait of all limits.
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
 * Returns the milliseconds to wait. A small number is in seconds from now. A large number is a time since 1970,
 * in seconds or milliseconds.
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
