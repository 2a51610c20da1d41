/** Reads fields of untrusted events. A field that is missing or has another type is read as empty. */
import { IMPOSSIBLE_USAGE, isTokenCount } from '../../amounts.ts'
import { child, isRecord } from '../../json.ts'
import type { TrajectorySink } from '../agent-kind.ts'

export const textAt = (value: unknown, key: string): string => {
  const found = child(value, key)
  return typeof found === 'string' ? found : ''
}

export const countAt = (value: unknown, key: string): number => {
  const found = child(value, key)
  return typeof found === 'number' && Number.isFinite(found) && found > 0 ? found : 0
}

/**
 * Returns a number. Its range is not checked, so that the caller can report a number that is not valid. A missing field
 * is 0. A value of another type is NaN.
 */
export const numberAt = (value: unknown, key: string): number => {
  const found = child(value, key) ?? 0
  return typeof found === 'number' ? found : Number.NaN
}

/** Reads a token count. A count that is not valid is reported and becomes 0. */
export type TokensAt = (value: unknown, key: string) => number

export const tokensAt =
  (sink: Pick<TrajectorySink, 'odd'>): TokensAt =>
  (value, key) => {
    const found = child(value, key) ?? 0
    if (isTokenCount(found)) return found + 0
    sink.odd(IMPOSSIBLE_USAGE)
    return 0
  }

export const listAt = (value: unknown, key: string): readonly unknown[] => {
  const found = child(value, key)
  return Array.isArray(found) ? found : []
}

/** Returns the text of a message. The content of a message is a text, or a list of blocks of which some have a text. */
export function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((block) => textAt(block, 'text') || (isRecord(block) ? `[${textAt(block, 'type')}]` : ''))
    .join('\n')
}
