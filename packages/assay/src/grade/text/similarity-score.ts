/**
 * Computes how similar two texts are, from 0 to 1, by one of three measures:
 *
 * - `edit`: 1 − d / the longer length, where d is the Levenshtein distance in characters.
 * - `f1`: words as multisets, 2 · |common| / (|a| + |b|), the harmonic mean of precision and recall.
 * - `jaccard`: words as sets, |intersection| / |union|.
 *
 * A word is a run of letters, digits and marks; all other characters separate words. Two empty texts have the
 * similarity 1.
 */
import { codePoints, editDistance } from '../../text/index.ts'

export type Measure = 'edit' | 'f1' | 'jaccard'

export function similarityOf(a: string, b: string, by: Measure): number {
  if (by === 'edit') return editLikeness(a, b)
  const [x, y] = [wordsOf(a), wordsOf(b)]
  return by === 'f1' ? bagLikeness(x, y) : setLikeness(new Set(x), new Set(y))
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu

const wordsOf = (text: string): string[] => text.match(WORD) ?? []

function bagLikeness(a: readonly string[], b: readonly string[]): number {
  if (a.length + b.length === 0) return 1
  const left = new Map<string, number>()
  for (const word of a) left.set(word, (left.get(word) ?? 0) + 1)
  let common = 0
  for (const word of b) {
    const count = left.get(word) ?? 0
    if (count === 0) continue
    left.set(word, count - 1)
    common++
  }
  return (2 * common) / (a.length + b.length)
}

function setLikeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size + b.size === 0) return 1
  let common = 0
  for (const word of a) if (b.has(word)) common++
  return common / (a.size + b.size - common)
}

function editLikeness(a: string, b: string): number {
  const [x, y] = [codePoints(a), codePoints(b)]
  const longer = Math.max(x.length, y.length)
  return longer === 0 ? 1 : 1 - editDistance(x, y) / longer
}
