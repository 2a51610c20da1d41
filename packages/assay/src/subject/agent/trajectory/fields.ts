/** Fields of events that somebody else wrote: what is missing or of another type is nothing. */
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

/** As it stands, for those who say what is wrong with it; what is there and no number is none. */
export const numberAt = (value: unknown, key: string): number => {
  const found = child(value, key) ?? 0
  return typeof found === 'number' ? found : Number.NaN
}

/** Reads counts of tokens; what is there and no such count is 0, and is reported. */
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

/** The words of a message: a text, or blocks of which some have a text. */
export function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((block) => textAt(block, 'text') || (isRecord(block) ? `[${textAt(block, 'type')}]` : ''))
    .join('\n')
}
