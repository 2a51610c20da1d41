/**
 * How alike two texts are, from 0 to 1, in three measures:
 *
 * - `edit`: 1 − d / the longer length, d the Levenshtein distance in characters (insertions, deletions,
 *   substitutions). Two rows of the usual table are kept, so memory grows with the shorter text only; time
 *   grows with the product of the lengths, after what both have in common at their ends is taken off.
 * - `f1`: words as bags, 2 · |common| / (|a| + |b|): the harmonic mean of precision and recall.
 * - `jaccard`: words as sets, |common| / |either|.
 *
 * A word is a run of letters, digits and marks, whatever stands between. Two empty texts are the same text.
 */
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

/** Characters as people count them, nearly: an emoji is one, not two. */
function codePoints(text: string): Uint32Array {
  const points = new Uint32Array(text.length)
  let count = 0
  for (const character of text) points[count++] = character.codePointAt(0) ?? 0
  return points.subarray(0, count)
}

export function editDistance(a: Uint32Array, b: Uint32Array): number {
  if (a.length < b.length) return editDistance(b, a)
  let start = 0
  while (start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  const long = a.subarray(start, a.length - end)
  const short = b.subarray(start, b.length - end)
  // One row: what stands left of the column is of this round, the rest of the one before.
  const row = new Uint32Array(short.length + 1)
  for (let j = 0; j < row.length; j++) row[j] = j
  for (let i = 0; i < long.length; i++) {
    const point = long[i]
    let diagonal = i
    let left = i + 1
    row[0] = left
    for (let j = 0; j < short.length; j++) {
      const up = row[j + 1] as number
      const changed = point === short[j] ? diagonal : diagonal + 1
      const moved = (left < up ? left : up) + 1
      left = changed < moved ? changed : moved
      row[j + 1] = left
      diagonal = up
    }
  }
  return row[short.length] as number
}
