/**
 * Checks that the answer is similar to a text. The score is the similarity, and the grader passes if it reaches
 * a threshold. Large texts are compared on a worker thread that is terminated at the deadline. The edit distance
 * takes too long for very long texts. Such an answer is reported as too long and scores 0, even if the grader is
 * negated.
 */
import { z } from 'zod'
import type { Grader, GraderContext, GraderOutput } from '../grader.ts'
import { similarityOf, type Measure } from './similarity-score.ts'
import { around, quoted } from '../shown.ts'
import { runApart } from '../worker/threads.ts'

/**
 * The limit on characters for the edit distance. Comparing two texts of this length takes about a second, and
 * several seconds on a busy machine.
 */
const LONGEST_EDITED = 20_000
const LONGEST_VALUE = LONGEST_EDITED
/**
 * The limit on the product of both lengths for a comparison on the main thread. Such a comparison takes a few
 * milliseconds.
 */
const MOST_HERE = 1_000_000
/**
 * The tolerance for comparing the score with the threshold. It is needed because decimal numbers are rounded in
 * binary.
 */
const TOLERANCE = 1e-9

const text = z.string().max(LONGEST_VALUE)

const options = z
  .strictObject({
    value: text.optional().describe('The text that the answer should be like.'),
    any: z
      .array(text)
      .min(1)
      .max(100)
      .optional()
      .describe('Several such texts; the one most like the answer counts.'),
    by: z
      .enum(['edit', 'f1', 'jaccard'])
      .default('edit')
      .describe(
        'edit: 1 − edit distance / the longer length, in characters. f1: shared words, counted as often as they stand. jaccard: shared words, each once.',
      ),
    threshold: z
      .number()
      .min(0)
      .max(1)
      .default(0.8)
      .describe('From 0 to 1: it passes when it is at least so much alike.'),
    trim: z
      .boolean()
      .default(true)
      .describe('Leave white space around the answer and the value out of account.'),
    ignoreCase: z.boolean().default(false).describe('Take upper and lower case as the same.'),
  })
  .refine(({ value, any }) => value !== undefined || any !== undefined, 'value or any')
  .describe('The answer is much like a text, by edits or by shared words.')

type Options = z.infer<typeof options>

export const similarity: Grader<Options> = {
  type: 'similarity',
  summary: 'the answer is much like a text, by edit distance or shared words',
  options,
  readsAnswer: true,
  keepsDeadline: true,
  async grade({ answer }, given, context) {
    const { value, any = [], by, threshold, trim, ignoreCase } = given
    const prepared = (one: string): string => {
      const trimmed = trim ? one.trim() : one
      return ignoreCase ? trimmed.toLowerCase() : trimmed
    }
    const found = prepared(answer)
    if (by === 'edit' && found.length > LONGEST_EDITED) return tooLong(found.length, answer)
    const wanted = value === undefined ? any : [value, ...any]
    let best = -1
    let nearest = ''
    for (const one of wanted) {
      const alike = await compare(found, prepared(one), by, context)
      if (alike <= best) continue
      best = alike
      nearest = one
    }
    const passed = best >= threshold - TOLERANCE
    const figures = `${rounded(best, threshold)} alike by ${by}, ${passed ? 'at least' : 'below'} ${threshold}`
    return {
      score: best,
      passed,
      reason: `${figures}: ${quoted(nearest, 60)}`,
      ...(passed ? {} : { evidence: around(answer, 0) }),
    }
  },
}

function compare(
  a: string,
  b: string,
  by: Measure,
  context: Pick<GraderContext, 'signal' | 'timeoutMs'>,
): number | Promise<number> {
  const work = by === 'edit' ? a.length * b.length : a.length + b.length
  return work <= MOST_HERE
    ? similarityOf(a, b, by)
    : runApart({ kind: 'similarity', a, b, by }, context)
}

function tooLong(length: number, answer: string): GraderOutput {
  return {
    score: 0,
    passed: false,
    final: true,
    reason: `is ${length} characters long, and edits are compared up to ${LONGEST_EDITED}`,
    evidence: around(answer, 0),
  }
}

/**
 * Rounds a score to three digits. Uses more digits if the rounded score would reach 1 or the threshold although
 * the score itself does not.
 */
function rounded(score: number, threshold: number): string {
  for (let digits = 3; digits < 16; digits++) {
    const shown = Number(score.toFixed(digits))
    const reaches = (mark: number): boolean => shown >= mark && score < mark - TOLERANCE
    if (!reaches(1) && !reaches(threshold)) return String(shown)
  }
  return String(score)
}
