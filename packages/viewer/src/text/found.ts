/** What is looked for on a part of the page, so that every text in it can mark where it was found. */
import { createContext } from 'preact'

/** Global, so that all places are found; null where nothing is looked for. */
export const Found = createContext<RegExp | null>(null)

/** A text cut at the places where something was found; every second piece is what was. */
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

/** Of one text; a letter that is found a thousand times needs no thousand marks. */
const MOST = 400
