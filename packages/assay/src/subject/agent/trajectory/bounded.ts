/**
 * Limits the size of the arguments that an agent passes to its tools, so that they can be stored. JSON from a stream
 * may be megabytes long or a thousand levels deep, or contain numbers that are infinite after parsing. Data of ordinary
 * size stays unchanged.
 */
import type { Json } from '@assay/contract'

/** The most characters of one text in a step. */
export const MOST_TEXT = 256 * 1024
const MOST_DEPTH = 40
const MOST_ENTRIES = 5000

export interface Bounded<Value> {
  readonly value: Value
  /** The approximate size in characters. */
  readonly size: number
  /** Whether a part of the value was cut off. */
  readonly isCut: boolean
}

export function boundedText(text: string, most = MOST_TEXT): Bounded<string> {
  if (text.length <= most) return { value: text, size: text.length, isCut: false }
  const left = text.length - most
  const value = `${text.slice(0, most).toWellFormed()}… (${left} characters more)`
  return { value, size: value.length, isCut: true }
}

/** Returns a copy in which long texts, long lists and deep levels are cut, and no number is infinite. */
export function boundedJson(given: unknown, most = MOST_TEXT): Bounded<Json> {
  let size = 0
  let entries = 0
  let isCut = false
  const cut = (): Json => {
    isCut = true
    return '…'
  }
  const copy = (value: unknown, depth: number): Json => {
    entries++
    if (entries > MOST_ENTRIES || depth > MOST_DEPTH || size > most) return cut()
    if (typeof value === 'string') {
      const text = boundedText(value, most - size)
      size += text.size
      if (text.isCut) isCut = true
      return text.value
    }
    size += 8
    if (typeof value === 'boolean' || value === null) return value
    if (typeof value === 'number') return Number.isFinite(value) ? value : cut()
    if (Array.isArray(value)) {
      const kept = value.slice(0, MOST_ENTRIES)
      if (kept.length < value.length) isCut = true
      return kept.map((one) => copy(one, depth + 1))
    }
    if (typeof value !== 'object') return null
    const pairs = Object.entries(value)
    if (pairs.length > MOST_ENTRIES) isCut = true
    // With `fromEntries`, a key `__proto__` is an ordinary key. An assignment would change the object's prototype.
    return Object.fromEntries(
      pairs.slice(0, MOST_ENTRIES).map(([key, one]) => {
        const name = boundedText(key, 1000)
        size += name.size
        return [name.value, copy(one, depth + 1)]
      }),
    )
  }
  const value = copy(given, 0)
  return { value, size, isCut }
}
