/**
 * Regular expressions in the options of all graders. They are checked when the suite is read. A pattern that
 * provably needs few steps runs on the main thread. Any other pattern runs on a worker thread that is terminated
 * at the deadline, so that no answer can block a run.
 */
import { z } from 'zod'
import { plain } from '@assay/contract'
import type { GraderContext } from '../grader.ts'
import { groupPattern, matchGroup, type Match, type WantedGroup } from './match-group.ts'
import { stepBound, type Bound } from './pattern-cost.ts'
import { shortened } from '../shown.ts'
import { runApart } from '../worker/threads.ts'

const LONGEST_PATTERN = 10_000
/**
 * The limit on steps of a pattern on the main thread. This takes about ten milliseconds at worst, and
 * microseconds for most answers.
 */
const MOST_STEPS_HERE = 5_000_000
/** How many compiled patterns are cached. Suites contain few patterns. When the cache is full, it is cleared. */
const MOST_KEPT = 1000

export const patternSchema = z.string().min(1).max(LONGEST_PATTERN)

export const flagsSchema = z
  .string()
  .regex(/^[imsuv]*$/, 'flags out of i, m, s, and u or v, each once')
  .default('')
  .describe(
    'i: ignore case, m: ^ and $ also at line breaks, s: dot also matches line breaks, u or v: Unicode.',
  )

export interface Pattern {
  readonly pattern: string
  readonly flags: string
}

/** Refuses options whose patterns do not compile. `keys` are the options that contain a pattern. */
export function checkPatterns(
  given: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  context: z.core.$RefinementCtx,
): void {
  const flags = typeof given['flags'] === 'string' ? given['flags'] : ''
  for (const key of keys) {
    const pattern = given[key]
    const fault = typeof pattern === 'string' ? faultOf(pattern, flags) : null
    if (fault === null) continue
    const { at, message } = fault
    context.addIssue({ code: 'custom', path: [at === 'flags' ? 'flags' : key], message })
    if (at === 'flags') return
  }
}

/** Returns what is wrong with a pattern or its flags, or null if nothing is. */
function faultOf(
  pattern: string,
  flags: string,
): { at: 'flags' | 'pattern'; message: string } | null {
  try {
    RegExp('', flags)
  } catch {
    return { at: 'flags', message: 'flags out of i, m, s, and u or v, each once' }
  }
  try {
    RegExp(pattern, flags)
    return null
  } catch (error) {
    // The error is like "Invalid regular expression: /…/: Unterminated group". Only its last part is used, because
    // Assay's message already shows the pattern.
    const why = String(error).split(': ').at(-1)
    return { at: 'pattern', message: `a regular expression (${why})` }
  }
}

interface Compiled {
  readonly pattern: RegExp
  readonly bound: Bound
}

const compiled = new Map<string, Compiled>()

function compile({ pattern, flags }: Pattern): Compiled {
  const key = `${flags}/${pattern}`
  const known = compiled.get(key)
  if (known !== undefined) return known
  if (compiled.size >= MOST_KEPT) compiled.clear()
  const made = { pattern: new RegExp(pattern, flags), bound: stepBound(pattern, flags) }
  compiled.set(key, made)
  return made
}

/** Returns the first match in the text, or null if there is none. Rejects with `GraderTimeout` at the deadline. */
export function search(
  text: string,
  given: Pattern,
  context: Pick<GraderContext, 'signal' | 'timeoutMs'>,
): Match | null | Promise<Match | null> {
  const { pattern, bound } = compile(given)
  if (bound(text.length) > MOST_STEPS_HERE)
    return runApart({ kind: 'pattern', pattern: given.pattern, flags: given.flags, text }, context)
  const match = pattern.exec(text)
  return match && { index: match.index, length: match[0].length }
}

/** Like `search`, but returns a group of the first or the last match. */
export function searchGroup(
  text: string,
  given: Pattern & WantedGroup,
  context: Pick<GraderContext, 'signal' | 'timeoutMs'>,
): Match | null | Promise<Match | null> {
  const { pattern, flags, group, match } = given
  const wanted = { group, match }
  if (compile(given).bound(text.length) > MOST_STEPS_HERE)
    return runApart({ kind: 'pattern', pattern, flags, text, wanted }, context)
  return matchGroup(groupPattern(pattern, flags), text, wanted)
}

/** Returns a function that gives each of several searches the time that is left until their common deadline. */
export function oneDeadline({
  signal,
  timeoutMs,
}: Pick<GraderContext, 'signal' | 'timeoutMs'>): () => Pick<GraderContext, 'signal' | 'timeoutMs'> {
  const until = performance.now() + timeoutMs
  return () => ({ signal, timeoutMs: Math.max(1, until - performance.now()) })
}

/** Formats a pattern for the text of a grade's reason: `/^\d+$/m`. */
export const shownPattern = (given: Pattern): string =>
  plain(shortened(String(compile(given).pattern), 80))
