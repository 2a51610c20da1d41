/**
 * The nearest valid name to one that is not: what the writer of a suite most likely meant. Distance counts
 * insertions, deletions, substitutions and swaps of neighbours, after case and the style of word breaks
 * (max_tokens, maxTokens, max-tokens) are set aside, as those are the most frequent slips.
 */

const MOST_LENGTH = 100

const plainName = (name: string): string => name.toLowerCase().replaceAll(/[_\-\s.]/g, '')

/** Optimal string alignment distance; callers bound the lengths. */
function distance(a: string, b: string): number {
  let twoAgo: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const best = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (twoAgo[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
      row.push(best)
    }
    twoAgo = last
    last = row
  }
  return last[b.length] ?? 0
}

/**
 * The candidate nearest to `name`, or null where none is near enough to be worth suggesting: more than a
 * third of its letters would have to change.
 *
 * @example nearest('promt', ['prompt', 'tests']) // 'prompt'
 */
export function nearest(name: string, candidates: Iterable<string>): string | null {
  const wanted = plainName(name).slice(0, MOST_LENGTH)
  let best: string | null = null
  let least = Number.POSITIVE_INFINITY
  for (const candidate of candidates) {
    const other = plainName(candidate).slice(0, MOST_LENGTH)
    const most = Math.max(1, Math.floor(Math.max(wanted.length, other.length) / 3))
    if (Math.abs(wanted.length - other.length) > most) continue
    const far = distance(wanted, other)
    if (far <= most && far < least) {
      best = candidate
      least = far
    }
  }
  return best
}
