/** Checks that texts occur in another text. All graders that do so share the options and the output in this file. */
import { z } from 'zod'
import type { GraderOutput } from '../grader.ts'
import { around, quoted } from '../shown.ts'

const text = z.string().min(1)
const texts = z.array(text).min(1).max(1000)

/** The options of every grader that searches for texts. `where` names what is searched. */
export const textsShape = (where: string) => ({
  value: text.optional().describe(`A text that must stand in ${where}.`),
  all: texts.optional().describe(`Texts that must all stand in ${where}, in any order.`),
  any: texts.optional().describe(`Texts of which at least one must stand in ${where}.`),
  ignoreCase: z.boolean().default(false).describe('Take upper and lower case as the same.'),
})

export const hasTexts = ({ value, all, any }: Partial<Wanted>): boolean =>
  value !== undefined || all !== undefined || any !== undefined

export interface Wanted {
  readonly value?: string | undefined
  readonly all?: readonly string[] | undefined
  readonly any?: readonly string[] | undefined
  readonly ignoreCase: boolean
}

const MOST_NAMED = 5

export function judgeContained(
  within: string,
  { value, all = [], any = [], ignoreCase }: Wanted,
): GraderOutput {
  const searched = ignoreCase ? within.toLowerCase() : within
  const find = (wanted: string): number =>
    searched.indexOf(ignoreCase ? wanted.toLowerCase() : wanted)

  const needed = value === undefined ? all : [value, ...all]
  const missing = needed.filter((wanted) => find(wanted) === -1)
  if (missing.length > 0)
    return failed(
      within,
      needed.length === 1
        ? `does not contain ${list(missing)}`
        : `lacks ${missing.length} of ${needed.length} texts: ${list(missing)}`,
    )
  const lucky = any.find((wanted) => find(wanted) !== -1)
  if (any.length > 0 && lucky === undefined) return failed(within, `contains none of ${list(any)}`)
  const found = lucky === undefined ? needed : [...needed, lucky]
  return { score: 1, passed: true, reason: `contains ${list(found)}` }
}

const failed = (within: string, reason: string): GraderOutput => ({
  score: 0,
  passed: false,
  reason,
  evidence: around(within, 0),
})

function list(wanted: readonly string[]): string {
  const named = wanted.slice(0, MOST_NAMED).map((one) => quoted(one, 40))
  const more = wanted.length - named.length
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
