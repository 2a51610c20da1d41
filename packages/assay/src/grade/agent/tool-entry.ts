/**
 * The description of a tool call in a suite. It is a tool's name, which may contain `*`, or a table that also
 * describes the arguments and the result. Agents use different names for the same tool, so a table may list several
 * names. A call must match every key of the table.
 */
import { z } from 'zod'
import type { Json } from '@assay/contract'
import { counted, matchesName } from '../../text/index.ts'
import type { GraderContext } from '../grader.ts'
import { POINTER, sameJson, shownJson, valueAt } from '../json-value.ts'
import {
  checkPatterns,
  flagsSchema,
  patternSchema,
  search,
  shownPattern,
} from '../regex/pattern.ts'
import { quoted } from '../shown.ts'
import { shownName, type ToolCall } from './step-lines.ts'

const text = z.string().min(1).max(10_000)
const texts = z.union([text, z.array(text).min(1).max(100)], 'text, or a list of texts')

export const toolNameSchema = z
  .string()
  .min(1)
  .max(500)
  .describe('Name of a tool, exact or a pattern: * for any characters, ? for one.')

/** The limit on tool names that a reason shows. */
const MOST_NAMES = 3

const matcherShape = {
  contains: texts.optional().describe('A text, or several, that must all stand in it.'),
  matches: patternSchema.optional().describe('A regular expression that must match in it.'),
  flags: flagsSchema,
}

const argumentSchema = z.union(
  [
    z.string(),
    z.number(),
    z.boolean(),
    z
      .strictObject({
        equals: z.json().optional().describe('It is exactly this value.'),
        ...matcherShape,
      })
      .refine(
        (given) => 'equals' in given || given.contains !== undefined || given.matches !== undefined,
        'equals, contains or matches',
      )
      .superRefine((given, context) => checkPatterns(given, ['matches'], context)),
  ],
  'a value, or a table with equals, contains or matches',
)

const resultSchema = z
  .strictObject(matcherShape)
  .refine(
    (given) => given.contains !== undefined || given.matches !== undefined,
    'contains or matches',
  )
  .superRefine((given, context) => checkPatterns(given, ['matches'], context))

const pathSchema = z
  .string()
  .max(500)
  .refine(
    (path) => !path.startsWith('/') || POINTER.test(path),
    'the name of an argument, or a JSON Pointer such as /edits/0/path',
  )

export const toolEntrySchema = z.union(
  [
    toolNameSchema,
    z.strictObject({
      name: z
        .union([toolNameSchema, z.array(toolNameSchema).min(1).max(100)], 'a name, or several')
        .describe('Name of the tool, exact or a pattern, or a list of names of which one fits.'),
      args: z
        .record(pathSchema, argumentSchema)
        .optional()
        .describe(
          'What its arguments contain: by the name of one or a JSON Pointer, a value that it equals, or equals, contains, matches. "" is all of them.',
        ),
      result: resultSchema.optional().describe('What its result contains: contains, matches.'),
      failed: z.boolean().optional().describe('Whether the call failed.'),
    }),
  ],
  'the name of a tool, or a table with name, args, result and failed',
)

export type ToolEntry = z.infer<typeof toolEntrySchema>
type Argument = z.infer<typeof argumentSchema>
type Matcher = z.infer<typeof resultSchema>
type Deadline = () => Pick<GraderContext, 'signal' | 'timeoutMs'>

/** Whether the entry describes this call. */
export async function fits(call: ToolCall, entry: ToolEntry, deadline: Deadline): Promise<boolean> {
  if (typeof entry === 'string') return matchesName(call.name, entry)
  if (![entry.name].flat().some((name) => matchesName(call.name, name))) return false
  if (entry.failed !== undefined && entry.failed !== call.failed) return false
  for (const [path, wanted] of Object.entries(entry.args ?? {}))
    if (!(await argumentFits(argumentAt(call.args, path), wanted, deadline))) return false
  if (entry.result === undefined) return true
  return call.result !== null && (await textFits(call.result, entry.result, deadline))
}

function argumentAt(args: Json, path: string): Json | undefined {
  if (path === '' || path.startsWith('/')) return valueAt(args, path)
  return valueAt(args, `/${path.replaceAll('~', '~0').replaceAll('/', '~1')}`)
}

async function argumentFits(
  found: Json | undefined,
  wanted: Argument,
  deadline: Deadline,
): Promise<boolean> {
  if (found === undefined) return false
  if (typeof wanted !== 'object') return found === wanted
  if (wanted.equals !== undefined && !sameJson(found, wanted.equals)) return false
  return await textFits(textOf(found), wanted, deadline)
}

/**
 * Returns the text that is searched for a pattern or a text. A value that is not a text is searched as JSON. For a
 * value that is too deeply nested for JSON, the text is empty.
 */
function textOf(value: Json): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value)
  } catch {
    return ''
  }
}

async function textFits(
  found: string,
  { contains = [], matches, flags }: Matcher,
  deadline: Deadline,
): Promise<boolean> {
  if (![contains].flat().every((wanted) => found.includes(wanted))) return false
  if (matches === undefined) return true
  return (await search(found, { pattern: matches, flags }, deadline())) !== null
}

/** Formats an entry for the text of a grade's reason: `Bash with command that contains "npm test"`. */
export function shownEntry(entry: ToolEntry): string {
  if (typeof entry === 'string') return shownName(entry)
  const names = [entry.name].flat().slice(0, MOST_NAMES).map(shownName).join(' or ')
  const parts = [
    ...Object.entries(entry.args ?? {}).map(
      ([path, wanted]) =>
        `${path === '' ? 'arguments' : shownName(path)} that ${shownMatcher(wanted)}`,
    ),
    ...(entry.result === undefined ? [] : [`a result that ${shownMatcher(entry.result)}`]),
    ...(entry.failed === undefined ? [] : [entry.failed ? 'a failure' : 'success']),
  ]
  if (parts.length === 0) return names
  const [first, second, ...more] = parts
  const named = [first, second].filter((part) => part !== undefined).join(' and ')
  return `${names} with ${named}${more.length > 0 ? ` and ${counted(more.length, 'more condition', 'more conditions')}` : ''}`
}

function shownMatcher(wanted: Argument | Matcher): string {
  if (typeof wanted !== 'object') return `is ${quoted(String(wanted), 40)}`
  const { contains, matches, flags } = wanted
  if ('equals' in wanted && wanted.equals !== undefined)
    return `is ${shownName(shownJson(wanted.equals, 40))}`
  if (contains !== undefined)
    return `contains ${[contains]
      .flat()
      .slice(0, 2)
      .map((one) => quoted(one, 40))
      .join(', ')}`
  return matches === undefined ? 'is there' : `matches ${shownPattern({ pattern: matches, flags })}`
}
