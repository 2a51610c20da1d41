/**
 * Checks a number in the answer. It is the whole answer, its first or last number, or a number in the text that a
 * pattern matches. Numbers may have signs, groups of thousands (1,234.5) and exponents, as people write them. A
 * hyphen after a letter or digit is not a sign. Other notations (0x10, 1_000, 1.234,50, 10^6) are refused, because
 * reading only a part of them would give a different number.
 */
import { z } from 'zod'
import type { Grader, GraderOutput } from '../grader.ts'
import {
  checkPatterns,
  flagsSchema,
  patternSchema,
  search,
  shownPattern,
} from '../regex/pattern.ts'
import { around, quoted } from '../shown.ts'

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

/**
 * Matches a number: an optional sign, groups of thousands or plain digits, a fraction, an exponent. It does not
 * match inside a word or another number.
 */
const NUMBER =
  /(?<![\p{L}\d_]|\d\.)[-+\u2212]?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:e[-+]?\d+)?|(?<![\p{L}\d_.])[-+\u2212]?\.\d+(?:e[-+]?\d+)?/giu
/**
 * Some text next to a number shows that the number is only a part of an unsupported notation. `GOES_ON` matches such
 * text after a number, and `BEGAN_BEFORE` matches it before a number.
 */
const GOES_ON =
  /^(?:_|[.,'\u2019\u00a0\u2009\u202f]\d|[xob]\d|x[a-f]| *\^|\*\*\d|[\u00b2\u00b3\u00b9\u2070-\u207e]| *(?:[x*\u00b7\u00d7]|\\times) *10(?: *\^|\*\*|[\u00b2\u00b3\u00b9\u2070-\u207e]))/iu
const BEGAN_BEFORE = /(?:\d[.,'\u2019\u00a0\u2009\u202f]|\^ *[{(]? *|\d\*\*)$/u
/** How many characters before and after a number are checked for an unsupported notation. */
const LOOKED_AROUND = 20
/** A number with more characters than this is not read. A double could not distinguish such numbers anyway. */
const LONGEST_NUMBER = 400
/** How many characters at the end, or at the beginning, of the answer are searched for a number. */
const MOST_SEARCHED = 1_000_000

export const numeric: Grader<Options> = {
  type: 'numeric',
  summary: 'a number in the answer is right, within a tolerance',
  options,
  readsAnswer: true,
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

interface Found {
  /** The number that was found; null if there is none. */
  readonly number: string | null
  /** Set if the number is part of an unsupported notation: the whole text around the number. */
  readonly within?: string
  /** Set if the text was too long and only a part of it was searched. */
  readonly cut?: true
}

function numberIn(text: string, find: 'last' | 'first' | 'whole'): Found {
  if (find === 'whole') {
    const trimmed = text.trim()
    const [only] = trimmed.length > LONGEST_NUMBER ? [] : (trimmed.match(NUMBER) ?? [])
    return { number: only === trimmed ? only : null }
  }
  const searched = find === 'first' ? text.slice(0, MOST_SEARCHED) : text.slice(-MOST_SEARCHED)
  let last: RegExpExecArray | null = null
  for (const match of searched.matchAll(NUMBER)) {
    last = match
    if (find === 'first') break
  }
  if (last === null)
    return { number: null, ...(searched.length < text.length ? { cut: true as const } : {}) }
  const [number] = last
  const end = last.index + number.length
  const before = searched.slice(Math.max(0, last.index - LOOKED_AROUND), last.index)
  const after = searched.slice(end, end + LOOKED_AROUND)
  if (!GOES_ON.test(after) && !BEGAN_BEFORE.test(before)) return { number }
  // Extend the text up to the next white space on both sides.
  const head = /[^ \t\r\n]*$/.exec(before)?.[0] ?? ''
  const tail = /^[^ \t\r\n]*/.exec(after)?.[0] ?? ''
  return { number, within: `${head}${number}${tail}` }
}

function judge(answer: string, looked: Found, given: Options, where: string): GraderOutput {
  const { value, tolerance, relative } = given
  const { number: found, within: whole, cut } = looked
  if (found === null) {
    const none = failed(answer, `found no number ${where}, expected ${value}`)
    return cut === true ? { ...none, final: true } : none
  }
  if (whole !== undefined)
    return unread(answer, `found ${quoted(whole, 60)} ${where}, which is not read as a number`)
  const number = found.length > LONGEST_NUMBER ? Number.NaN : Number(plainDigits(found))
  if (!Number.isFinite(number))
    return unread(answer, `found a number too large to compare ${where}, expected ${value}`)
  const allowed = Math.max(tolerance, relative * Math.abs(value))
  const off = Math.abs(number - value)
  // The slack allows for rounding errors of binary numbers. Without it, 1.1 would not be within 0.1 of 1.
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

const failed = (answer: string, reason: string): GraderOutput => ({
  score: 0,
  passed: false,
  reason,
  evidence: around(answer, answer.length),
})

/**
 * Returns the output for a number that cannot be read reliably. The number may or may not be the expected one. So
 * the grader fails, even with `negate`.
 */
const unread = (answer: string, reason: string): GraderOutput => ({
  ...failed(answer, reason),
  final: true,
})
