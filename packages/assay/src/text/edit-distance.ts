/**
 * Returns how many insertions, deletions and substitutions of characters turn one text into the other (the Levenshtein
 * distance). With `swaps`, exchanging two neighbouring characters counts as one edit instead of two (optimal string
 * alignment), because such swaps are the most frequent typing mistake. The memory grows with the shorter text. The time
 * grows with the product of both lengths, so callers must limit the lengths.
 */
export function editDistance(a: Uint32Array, b: Uint32Array, swaps = false): number {
  if (a.length < b.length) return editDistance(b, a, swaps)
  let start = 0
  while (start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  const long = a.subarray(start, a.length - end)
  const short = b.subarray(start, b.length - end)
  const row = new Uint32Array(short.length + 1)
  for (let j = 0; j < row.length; j++) row[j] = j
  // The matrix rows of the last two rounds. The cost of a swap is computed from the row two rounds ago.
  let last = new Uint32Array(swaps ? row.length : 0)
  let twoAgo = new Uint32Array(last.length)
  for (let i = 0; i < long.length; i++) {
    if (swaps) {
      ;[last, twoAgo] = [twoAgo, last]
      last.set(row)
    }
    nextRow(row, i, long, short, swaps && i > 0 ? twoAgo : null)
  }
  return row[short.length] as number
}

/**
 * Computes one row of the matrix in place. Entries left of the current column already belong to this row, and the
 * others still belong to the previous row. This function has no code for swaps, for speed: with swaps in the same loop,
 * V8 takes a quarter more time for distances without swaps.
 */
function nextRow(
  row: Uint32Array,
  i: number,
  long: Uint32Array,
  short: Uint32Array,
  twoAgo: Uint32Array | null,
): void {
  const point = long[i]
  let diagonal = i
  let left = i + 1
  row[0] = left
  for (let j = 0; j < short.length; j++) {
    const up = row[j + 1] as number
    const changed = point === short[j] ? diagonal : diagonal + 1
    const moved = (left < up ? left : up) + 1
    left = changed < moved ? changed : moved
    if (twoAgo !== null && j > 0 && point === short[j - 1] && long[i - 1] === short[j])
      left = Math.min(left, (twoAgo[j - 1] as number) + 1)
    row[j + 1] = left
    diagonal = up
  }
}

/** Returns the code points of a text. With code points, an emoji usually counts as one character, not as two. */
export function codePoints(text: string): Uint32Array {
  const points = new Uint32Array(text.length)
  let count = 0
  for (const character of text) points[count++] = character.codePointAt(0) ?? 0
  return points.subarray(0, count)
}
