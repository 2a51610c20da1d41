/**
 * Which paths a case's patterns mean. A pattern that fits a folder covers everything in it, so that
 * `tests`, `tests/` and `tests/**` say the same. Most patterns are a plain path or a plain name at any
 * depth, and those are looked up; only the others are matched one by one.
 */
import { hasGlob, matchesGlob } from '../../text/index.ts'

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

/**
 * What is no part of a diff: what is ignored, unless a pattern of what is protected names a way into it, as
 * `node_modules/left-pad` does. One that only happens to reach there, such as `tests/**` over the caches
 * that running the tests makes, does not count: an agent may run the tests.
 */
export function unwatched(ignore: readonly string[], protect: readonly string[]): Patterns {
  const ignoring = ignored(ignore)
  const named = protect.map(bare).filter(ignoring.covers)
  if (named.length === 0) return ignoring
  const watched = patterns(named)
  const ways = named.map((one) => one.split('/'))
  const covers = (path: string): boolean => ignoring.covers(path) && !watched.covers(path)
  return {
    // A folder on the way to something protected is entered.
    fits: (path) => covers(path) && !ways.some((way) => leadsThrough(way, path.split('/'))),
    covers,
  }
}

/** Whether a pattern, step by step, can fit something in the folder. */
function leadsThrough(way: readonly string[], folder: readonly string[]): boolean {
  for (const [i, step] of folder.entries()) {
    const wanted = way[i]
    if (wanted === '**') return true
    if (wanted === undefined || !matchesGlob(step, wanted)) return false
  }
  return true
}

/** Git's own folders, wherever they are, are no part of what an agent leaves. */
export const ignored = (list: readonly string[]): Patterns => patterns([...list, '**/.git'])

const bare = (pattern: string): string =>
  pattern
    .replace(/^\.?\//, '')
    .replace(/\/+$/, '')
    .replace(/(?<=.)(?:\/\*\*)+$/, '')
