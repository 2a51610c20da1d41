/**
 * The answer is a number, or ends in one, or has one where a pattern says. Numbers are read as people write
 * them: signs, thousands in groups (1,234.5), exponents; a hyphen after a letter or digit is no sign.
 */
import { z } from 'zod'
import type { Grader, Judgement } from './grader.ts'
import { checkPatterns, flagsSchema, patternSchema, search, shownPattern } from './pattern.ts'
import { around, quoted } from './shown.ts'

const options = z
  .strictObject({
    value: z.number().describe('The number that is right.'),
    tolerance: z.number().min(0).default(0).describe('The answer may differ by this much.'),
    relative: z
      .number()
      .min(0)
      .default(0)
      .describe(
        'It may differ by this share of the value (0.01: one percent); the greater of the two counts.',
      ),
    find: z
      .enum(['last', 'first', 'whole'])
      .optional()
      .describe(
        'Which number of the answer: its last (unless given), its first, or the whole answer, which must then be nothing else.',
      ),
    pattern: patternSchema
      .optional()
      .describe(
        'Instead: a regular expression; the last number within its first match is the one, as in "Total: .*".',
      ),
    flags: flagsSchema,
  })
  .superRefine((given, context) => {
    checkPatterns(given, ['pattern'], context)
    if (given.pattern !== undefined && given.find !== undefined)
      context.addIssue({ code: 'custom', path: ['find'], message: 'either find or pattern' })
  })
  .describe('A number in the answer is the right one, within a tolerance.')

type Options = z.infer<typeof options>

/** A sign, groups of thousands or plain digits, a fraction, an exponent; not within a word or another number. */
const NUMBER =
  /(?<![\p{L}\d_]|\d\.)[-+\u2212]?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:e[-+]?\d+)?|(?<![\p{L}\d_.])[-+\u2212]?\.\d+(?:e[-+]?\d+)?/giu
/** Longer than any number that a double tells from another; more digits are no answer. */
const LONGEST_NUMBER = 400
/** A number is looked for this far from the end, or from the beginning. */
const MOST_SEARCHED = 1_000_000

export const numeric: Grader<Options> = {
  type: 'numeric',
  summary: 'a number in the answer is right, within a tolerance',
  options,
  keepsDeadline: true,
  async grade({ answer }, given, context) {
    const { pattern, flags, find = 'last' } = given
    if (pattern === undefined) return judge(answer, numberIn(answer, find), given, WHERE[find])
    const match = await search(answer, { pattern, flags }, context)
    const shown = shownPattern({ pattern, flags })
    if (match === null) return failed(answer, `nothing matches ${shown}`)
    const within = answer.slice(match.index, match.index + match.length)
    return judge(answer, numberIn(within, 'last'), given, `in what matches ${shown}`)
  },
}

const WHERE = { last: 'as the last number', first: 'as the first number', whole: 'as the answer' }

function numberIn(text: string, find: 'last' | 'first' | 'whole'): string | null {
  if (find === 'whole') {
    const trimmed = text.trim()
    const [only] = trimmed.length > LONGEST_NUMBER ? [] : (trimmed.match(NUMBER) ?? [])
    return only === trimmed ? only : null
  }
  const searched = find === 'first' ? text.slice(0, MOST_SEARCHED) : text.slice(-MOST_SEARCHED)
  if (find === 'first') return firstOf(searched)
  return searched.match(NUMBER)?.at(-1) ?? null
}

function firstOf(text: string): string | null {
  NUMBER.lastIndex = 0
  return NUMBER.exec(text)?.[0] ?? null
}

function judge(answer: string, found: string | null, given: Options, where: string): Judgement {
  const { value, tolerance, relative } = given
  if (found === null) return failed(answer, `found no number ${where}, expected ${value}`)
  const number = found.length > LONGEST_NUMBER ? Number.NaN : Number(plainDigits(found))
  if (!Number.isFinite(number))
    return failed(answer, `found a number too large to compare ${where}, expected ${value}`)
  const allowed = Math.max(tolerance, relative * Math.abs(value))
  const off = Math.abs(number - value)
  // 1.1 is within 0.1 of 1, though not in binary.
  const slack = 4 * Number.EPSILON * Math.max(Math.abs(number), Math.abs(value))
  const within = allowed === 0 ? '' : ` within ${allowed}`
  if (off <= allowed + slack)
    return {
      score: 1,
      passed: true,
      reason: `found ${quoted(found, 60)} ${where}, which is ${value}${within}`,
    }
  return failed(answer, `found ${quoted(found, 60)} ${where}, expected ${value}${within}`)
}

const plainDigits = (found: string): string => found.replaceAll(',', '').replace('\u2212', '-')

const failed = (answer: string, reason: string): Judgement => ({
  score: 0,
  passed: false,
  reason,
  evidence: around(answer, answer.length),
})
