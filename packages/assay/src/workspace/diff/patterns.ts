/**
 * Finds out which paths a case's patterns match. A pattern that matches a folder also covers everything in it, so
 * `tests`, `tests/` and `tests/**` mean the same. Most patterns are a plain path, or a plain name at any depth. They
 * are looked up in a set, which is fast. Only the other patterns are matched one by one.
 */
import { GRADED_GIT } from '@assay/contract'
import { hasGlob, matchesGlob } from '../../text/index.ts'

const ANYWHERE = '**/'

export interface Patterns {
  /**
   * Whether a pattern matches exactly this path. Code that visits folders from the top down can use this for each
   * folder, and so does not need `covers`.
   */
  readonly fits: (path: string) => boolean
  /** Whether a pattern matches the path or a folder above it. */
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
 * Returns patterns for the paths that a diff leaves out. These are the ignored paths, except those that a `protect`
 * pattern names explicitly, such as `node_modules/left-pad`. A `protect` pattern that matches an ignored path only by
 * chance does not count. For example, `tests/**` also matches the caches that running the tests creates. An agent may
 * run the tests, so new caches are not tampering.
 */
export function unwatched(ignore: readonly string[], protect: readonly string[]): Patterns {
  const ignoring = ignored(ignore)
  const named = protect.map(bare).filter(ignoring.covers)
  if (named.length === 0) return ignoring
  const watched = patterns(named)
  const ways = named.map((one) => one.split('/'))
  const covers = (path: string): boolean => ignoring.covers(path) && !watched.covers(path)
  return {
    // An ignored folder does not match if it leads to a protected path, so that the diff still looks into it.
    fits: (path) => covers(path) && !ways.some((way) => leadsThrough(way, path.split('/'))),
    covers,
  }
}

/** Whether the pattern can match something inside the folder. Both are given as lists of path segments. */
function leadsThrough(way: readonly string[], folder: readonly string[]): boolean {
  for (const [i, step] of folder.entries()) {
    const wanted = way[i]
    if (wanted === '**') return true
    if (wanted === undefined || !matchesGlob(step, wanted)) return false
  }
  return true
}

/**
 * Returns the patterns for ignored paths. They include `.git` folders at any depth, unless the case grades commits and
 * branches.
 */
export const ignored = (list: readonly string[]): Patterns =>
  list.includes(GRADED_GIT)
    ? patterns(list.filter((pattern) => pattern !== GRADED_GIT))
    : patterns([...list, '**/.git'])

const bare = (pattern: string): string =>
  pattern
    .replace(/^\.?\//, '')
    .replace(/\/+$/, '')
    .replace(/(?<=.)(?:\/\*\*)+$/, '')
