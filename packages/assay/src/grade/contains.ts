/** Texts stand somewhere in the answer. */
import { z } from 'zod'
import type { Grader } from './grader.ts'
import { around, quoted } from './shown.ts'

const text = z.string().min(1)
const texts = z.array(text).min(1).max(1000)

const options = z
  .strictObject({
    value: text.optional().describe('A text that must stand in the answer.'),
    all: texts.optional().describe('Texts that must all stand in the answer, in any order.'),
    any: texts.optional().describe('Texts of which at least one must stand in the answer.'),
    ignoreCase: z.boolean().default(false).describe('Take upper and lower case as the same.'),
  })
  .refine(
    ({ value, all, any }) => value !== undefined || all !== undefined || any !== undefined,
    'value, all or any',
  )
  .describe('The answer contains a text, all or any of several.')

const MOST_NAMED = 5

export const contains: Grader<z.infer<typeof options>> = {
  type: 'contains',
  summary: 'the answer contains a text, all or any of several',
  options,
  grade({ answer }, { value, all = [], any = [], ignoreCase }) {
    const searched = ignoreCase ? answer.toLowerCase() : answer
    const find = (wanted: string): number =>
      searched.indexOf(ignoreCase ? wanted.toLowerCase() : wanted)

    const needed = value === undefined ? all : [value, ...all]
    const missing = needed.filter((wanted) => find(wanted) === -1)
    if (missing.length > 0)
      return {
        score: 0,
        passed: false,
        reason:
          needed.length === 1
            ? `does not contain ${list(missing)}`
            : `lacks ${missing.length} of ${needed.length} texts: ${list(missing)}`,
        evidence: around(answer, 0),
      }
    const lucky = any.find((wanted) => find(wanted) !== -1)
    if (any.length > 0 && lucky === undefined)
      return {
        score: 0,
        passed: false,
        reason: `contains none of ${list(any)}`,
        evidence: around(answer, 0),
      }
    const found = lucky === undefined ? needed : [...needed, lucky]
    return { score: 1, passed: true, reason: `contains ${list(found)}` }
  },
}

function list(wanted: readonly string[]): string {
  const named = wanted.slice(0, MOST_NAMED).map((one) => quoted(one, 40))
  const more = wanted.length - named.length
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
