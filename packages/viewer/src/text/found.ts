/** The current search pattern, as a context for a part of the page. Every text in that part highlights its matches. */
import { createContext } from 'preact'

/** The pattern, or null if there is no search. It must have the flag `g`, so that all matches are found. */
export const Found = createContext<RegExp | null>(null)

/** Splits a text at its matches. The pieces with odd index are the matches. */
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

/**
 * The limit on the pieces of one text. A search for a single letter can match thousands of times, and rendering all
 * matches would be slow and of no use.
 */
const MOST = 400
