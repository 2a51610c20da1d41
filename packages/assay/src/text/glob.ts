/**
 * Paths against a pattern such as "src/", then two stars, then "/*.ts": a star stands for any characters but
 * a slash, a question mark for one of them, two stars as a whole step for any number of steps, none among
 * them. Everything else is itself. Time is at most the product of both lengths: of several stars only the
 * last ever gives way.
 */

export const hasGlob = (pattern: string): boolean => /[*?]/.test(pattern)

export function matchesGlob(path: string, pattern: string): boolean {
  return matchAll(path.split('/'), pattern.split('/'), '**', matchesName)
}

/** One step of a path, or a name of any other kind, in which a slash is as any other character. */
export const matchesName = (step: string, pattern: string): boolean =>
  matchAll(
    Array.from(step),
    Array.from(pattern),
    '*',
    (one, wanted) => wanted === '?' || one === wanted,
  )

/** Items against wanted ones, among which `star` stands for any number of items. */
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
