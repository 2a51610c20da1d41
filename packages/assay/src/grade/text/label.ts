/**
 * Checks which of several labels the answer gives. Reports compute the confusion matrix, precision, recall and F1
 * from the `facts` of these grades.
 */
import { z } from 'zod'
import { LABEL_GRADER } from '@assay/contract'
import type { Grader, GraderOutput } from '../grader.ts'
import { around, quoted } from '../shown.ts'

const MOST_LABELS = 1000
const labelSchema = z.string().regex(/\S/, 'a label that is not blank').max(200)

const options = z
  .strictObject({
    expected: labelSchema.describe('The label that is right, one of `labels`.'),
    labels: z
      .array(labelSchema)
      .min(2)
      .max(MOST_LABELS)
      .describe('All labels that an answer can give.'),
    find: z
      .enum(['whole', 'only'])
      .default('whole')
      .describe(
        'whole: the answer is a label, apart from quotes and a full stop. only: the answer contains one label, and no other.',
      ),
    ignoreCase: z.boolean().default(true).describe('Take upper and lower case as the same.'),
  })
  .superRefine(({ expected, labels, ignoreCase }, context) => {
    const keys = labels.map((label) => keyOf(label, ignoreCase))
    const repeated = labels.find((_, i) => keys.indexOf(keys[i] as string) !== i)
    if (repeated !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['labels'],
        message: `labels that differ from each other (${repeated} is there twice)`,
      })
    if (!keys.includes(keyOf(expected, ignoreCase)))
      context.addIssue({ code: 'custom', path: ['expected'], message: 'one of the labels' })
  })
  .describe('The answer gives the right one of several labels.')

type Options = z.infer<typeof options>

export const label: Grader<Options> = {
  type: LABEL_GRADER,
  summary: 'the answer gives the right label; with figures of the classification',
  options,
  readsAnswer: true,
  grade({ answer }, given): GraderOutput {
    const expected = labelFor(given.expected, given)
    const found = given.find === 'only' ? onlyLabel(answer, given) : wholeLabel(answer, given)
    const facts = { expected, predicted: found.length === 1 ? (found[0] as string) : null }
    const passed = facts.predicted === expected
    if (passed) return { score: 1, passed, reason: `is ${quoted(expected)}`, facts }
    return {
      score: 0,
      passed,
      reason: `expected ${quoted(expected)}, found ${said(found, answer)}`,
      facts,
      ...(found.length === 1 ? {} : { evidence: around(answer, 0) }),
    }
  },
}

function said(found: readonly string[], answer: string): string {
  const [first, second] = found
  if (first === undefined) return `no label in ${quoted(answer)}`
  return second === undefined ? quoted(first) : `both ${quoted(first)} and ${quoted(second)}`
}

const keyOf = (text: string, ignoreCase: boolean): string =>
  ignoreCase ? text.trim().toLowerCase() : text.trim()

/** Returns the label as it is spelled in `labels`. */
const labelFor = (text: string, { labels, ignoreCase }: Options): string =>
  labels.find((one) => keyOf(one, ignoreCase) === keyOf(text, ignoreCase))?.trim() ?? text.trim()

/** Matches what people and models write around a label: white space, quotes, Markdown marks, a full stop. */
const AROUND = /^[\s"'“”‘’`*_]+|[\s"'“”‘’`*_.]+$/gu
/** A label is shorter than this, even with the characters around it. A longer answer is not searched. */
const LONGEST = 1000

function wholeLabel(answer: string, given: Options): string[] {
  if (answer.length > LONGEST) return []
  const wanted = new Set(
    [answer, answer.replaceAll(AROUND, '')].map((text) => keyOf(text, given.ignoreCase)),
  )
  const found = given.labels.find((one) => wanted.has(keyOf(one, given.ignoreCase)))
  return found === undefined ? [] : [found.trim()]
}

/**
 * Returns the labels that occur in the answer as whole words. If a label is part of a longer label that occurs
 * there, only the longer label counts.
 */
function onlyLabel(answer: string, { labels, ignoreCase }: Options): string[] {
  let rest = ignoreCase ? answer.toLowerCase() : answer
  const found: string[] = []
  const longestFirst = labels.toSorted((a, b) => b.length - a.length)
  for (const one of longestFirst) {
    const key = keyOf(one, ignoreCase)
    let isThere = false
    for (let at = rest.indexOf(key); at !== -1; at = rest.indexOf(key, at + 1)) {
      if (isWordCharacter(rest[at - 1]) && isWordCharacter(key[0])) continue
      if (isWordCharacter(rest[at + key.length]) && isWordCharacter(key.at(-1))) continue
      isThere = true
      rest = `${rest.slice(0, at)}${'\u0000'.repeat(key.length)}${rest.slice(at + key.length)}`
    }
    if (isThere) found.push(one.trim())
  }
  return found
}

const isWordCharacter = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}_]/u.test(character)
