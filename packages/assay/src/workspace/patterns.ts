/**
 * Which paths a case's patterns mean. A pattern that fits a folder covers everything in it, so that
 * `tests`, `tests/` and `tests/**` say the same. Most patterns are a plain path or a plain name at any
 * depth, and those are looked up; only the others are matched one by one.
 */
import { hasGlob, matchesGlob } from '../glob.ts'

const ANYWHERE = '**/'

export interface Patterns {
  /** Whether a pattern fits this very path; for those who come from above and look at each folder. */
  readonly fits: (path: string) => boolean
  /** Whether a pattern fits the path or a folder that it is in. */
  readonly covers: (path: string) => boolean
}

export function patterns(list: readonly string[]): Patterns {
  const paths = new Set<string>()
  const names = new Set<string>()
  const others: string[] = []
  for (const one of list.map(bare)) {
    const name = one.startsWith(ANYWHERE) ? one.slice(ANYWHERE.length) : null
    if (!hasGlob(one)) paths.add(one)
    else if (name !== null && !hasGlob(name) && !name.includes('/')) names.add(name)
    else others.push(one)
  }
  const fits = (path: string): boolean =>
    paths.has(path) ||
    names.has(path.slice(path.lastIndexOf('/') + 1)) ||
    others.some((one) => matchesGlob(path, one))
  return {
    fits,
    covers(path) {
      for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
        if (fits(path.slice(0, at))) return true
      return fits(path)
    },
  }
}

/** Git's own folders, wherever they are, are no part of what an agent leaves. */
export const ignored = (list: readonly string[]): Patterns => patterns([...list, '**/.git'])

const bare = (pattern: string): string =>
  pattern
    .replace(/^\.?\//, '')
    .replace(/\/+$/, '')
    .replace(/(?<=.)(?:\/\*\*)+$/, '')
