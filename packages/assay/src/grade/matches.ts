/** The answer matches a regular expression. */
import { z } from 'zod'
import { plain } from '../plain.ts'
import type { Grader } from './grader.ts'
import { stepBound, type Bound } from './pattern-cost.ts'
import { around, placeOf, quoted, shortened } from './shown.ts'
import type { Match } from './task.ts'
import { runApart } from './threads.ts'

const LONGEST_PATTERN = 10_000
/** Some ten milliseconds at worst on the main thread, microseconds for most answers. */
const MOST_STEPS_HERE = 5_000_000

const options = z
  .strictObject({
    pattern: z
      .string()
      .min(1)
      .max(LONGEST_PATTERN)
      .describe(
        'A regular expression of JavaScript, without slashes. It may match anywhere; ^ and $ tie it to the ends.',
      ),
    flags: z
      .string()
      .regex(/^[imsuv]*$/, 'flags out of i, m, s, and u or v, each once')
      .default('')
      .describe(
        'i: ignore case, m: ^ and $ also at line breaks, s: dot also matches line breaks, u or v: Unicode.',
      ),
  })
  .superRefine(({ pattern, flags }, context) => {
    const issue = fault(pattern, flags)
    if (issue !== null) context.addIssue({ code: 'custom', ...issue })
  })
  .describe('The answer matches a regular expression.')

type Options = z.infer<typeof options>

/** What is wrong with a pattern and its flags; null where nothing is. */
function fault(pattern: string, flags: string): { path: string[]; message: string } | null {
  if (!compiles('', flags))
    return { path: ['flags'], message: 'flags out of i, m, s, and u or v, each once' }
  try {
    RegExp(pattern, flags)
    return null
  } catch (error) {
    // "Invalid regular expression: /…/: Unterminated group"; the pattern is shown beside it anyway.
    const why = String(error).split(': ').at(-1)
    return { path: ['pattern'], message: `a regular expression (${why})` }
  }
}

function compiles(pattern: string, flags: string): boolean {
  try {
    return RegExp(pattern, flags) instanceof RegExp
  } catch {
    return false
  }
}

interface Compiled {
  readonly pattern: RegExp
  readonly bound: Bound
}

/** By the options of a case, which all of its trials share. */
const compiled = new WeakMap<Options, Compiled>()

function compile(given: Options): Compiled {
  const known = compiled.get(given)
  if (known !== undefined) return known
  const { pattern, flags } = given
  const made = { pattern: new RegExp(pattern, flags), bound: stepBound(pattern, flags) }
  compiled.set(given, made)
  return made
}

export const matches: Grader<Options> = {
  type: 'matches',
  summary: 'the answer matches a regular expression',
  options,
  keepsDeadline: true,
  grade({ answer }, given, context) {
    const { pattern, bound } = compile(given)
    if (bound(answer.length) <= MOST_STEPS_HERE) {
      const match = pattern.exec(answer)
      return judge(answer, pattern, match && { index: match.index, length: match[0].length })
    }
    const task = { kind: 'pattern', ...given, text: answer } as const
    return runApart(task, context).then((match) => judge(answer, pattern, match))
  },
}

function judge(answer: string, pattern: RegExp, match: Match | null) {
  const shown = plain(shortened(String(pattern), 80))
  if (match === null)
    return {
      score: 0,
      passed: false,
      reason: `nothing matches ${shown}`,
      evidence: around(answer, 0),
    }
  const { index, length } = match
  const found = quoted(answer.slice(index, index + length))
  return {
    score: 1,
    passed: true,
    reason: `${found} matches ${shown} at ${placeOf(answer, index)}`,
  }
}
