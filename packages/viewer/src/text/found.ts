/** The current search pattern for a part of the page, so that every text in it can highlight matches. */
import { createContext } from 'preact'

/** A global pattern, so that all matches are found; null if there is no search. */
export const Found = createContext<RegExp | null>(null)

/** Splits a text at its matches; every second piece is a match. */
export function foundPieces(text: string, pattern: RegExp | null): string[] {
  if (pattern === null) return [text]
  const pieces: string[] = []
  let from = 0
  for (const { index, 0: found } of text.matchAll(pattern)) {
    if (pieces.length > MOST) break
    pieces.push(text.slice(from, index), found)
    from = index + found.length
  }
  return [...pieces, text.slice(from)]
}

/** Maximum number of highlighted matches in one text: for a search for one letter, more would be useless. */
const MOST = 400
