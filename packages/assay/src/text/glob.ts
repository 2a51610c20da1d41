/**
 * Matches paths against a pattern such as "src/", then two stars, then "/*.ts". A star matches any characters except a
 * slash. A question mark matches one character except a slash. Two stars between slashes match any number of folders,
 * including none. Every other character matches itself. A hostile pattern cannot make this slow: after a mismatch, only
 * the last star is tried again with a longer text, so the time is at most the product of both lengths.
 */

export const hasGlob = (pattern: string): boolean => /[*?]/.test(pattern)

export function matchesGlob(path: string, pattern: string): boolean {
  return matchAll(path.split('/'), pattern.split('/'), '**', matchesName)
}

/**
 * Matches one segment of a path, or a name that is not part of a path. In such a name, a slash is an ordinary
 * character.
 */
export const matchesName = (step: string, pattern: string): boolean =>
  matchAll(
    Array.from(step),
    Array.from(pattern),
    '*',
    (one, wanted) => wanted === '?' || one === wanted,
  )

/** Matches a list of items against a list of patterns. A pattern that equals `star` matches any number of items. */
function matchAll(
  items: readonly string[],
  wanted: readonly string[],
  star: string,
  fits: (item: string, wanted: string) => boolean,
): boolean {
  let at = 0
  let next = 0
  let lastStar = -1
  let taken = 0
  while (at < items.length) {
    const pattern = wanted[next]
    if (pattern === star) {
      lastStar = next++
      taken = at
    } else if (pattern !== undefined && fits(items[at] ?? '', pattern)) {
      at++
      next++
    } else if (lastStar === -1) return false
    else {
      next = lastStar + 1
      at = ++taken
    }
  }
  while (wanted[next] === star) next++
  return next === wanted.length
}
