/** Checks that the answer is JSON, matches a JSON Schema or has a given value. */
import { z } from 'zod'
import { type Json, plain } from '@assay/contract'
import type { Grader, GraderOutput } from '../grader.ts'
import { POINTER, sameJson, shownJson, valueAt } from '../json-value.ts'
import { isJson } from '../is-json.ts'
import { readJson } from './read-json.ts'
import { draftOf, schemaFault } from './schema-fault.ts'
import { around, shortened } from '../shown.ts'
import type { Misfits, SchemaTask } from '../worker/task.ts'
import { runApart } from '../worker/threads.ts'

const options = z
  .strictObject({
    schema: z
      .union([z.boolean(), z.record(z.string(), z.unknown())], 'a JSON Schema')
      .optional()
      .describe(
        'A JSON Schema that the value must fit: draft 4, 7, 2019-09 or 2020-12 by its $schema.',
      ),
    path: z
      .string()
      .regex(POINTER, 'a JSON Pointer such as /items/0/name')
      .optional()
      .describe(
        'Where `equals` looks, as a JSON Pointer such as /items/0/name; the whole value unless given.',
      ),
    equals: z
      .unknown()
      .refine((value) => value === undefined || isJson(value), 'a value that JSON has')
      .optional()
      .describe('The value that must stand there; the order of keys does not matter.'),
  })
  .superRefine(({ schema, path, equals }, context) => {
    const fault = schema === undefined ? null : schemaFault(schema)
    if (fault !== null)
      context.addIssue({ code: 'custom', path: ['schema'], message: `a JSON Schema (${fault})` })
    if (path !== undefined && equals === undefined)
      context.addIssue({ code: 'custom', path: ['path'], message: 'equals together with path' })
  })
  .describe('The answer, or the JSON in its only fenced block, is JSON that fits.')

type Options = z.infer<typeof options>

export const json: Grader<Options> = {
  type: 'json',
  summary: 'the answer is JSON, fits a JSON Schema, or has a value at a path',
  options,
  readsAnswer: true,
  keepsDeadline: true,
  grade({ answer }, given, context) {
    const read = readJson(answer)
    if ('why' in read) return failed(read.why, around(answer, 0))
    const task = schemaTask(given, read.text)
    if (task === null) return judgeValue(read.value, given)
    return runApart(task, context).then((misfits) =>
      misfits.length === 0 ? judgeValue(read.value, given) : judgeMisfits(misfits),
    )
  },
}

const failed = (reason: string, evidence?: string): GraderOutput => ({
  score: 0,
  passed: false,
  reason,
  ...(evidence === undefined ? {} : { evidence }),
})

/**
 * The schemas as text, which is the form that the worker thread needs. They are cached for each case, because all
 * trials of a case share its options object.
 */
const written = new WeakMap<Options, Omit<SchemaTask, 'text'>>()

function schemaTask(given: Options, text: string): SchemaTask | null {
  const { schema } = given
  if (schema === undefined) return null
  let task = written.get(given)
  if (task === undefined) {
    const draft = draftOf(schema) ?? '2020-12'
    task = { kind: 'schema', schema: JSON.stringify(schema), draft }
    written.set(given, task)
  }
  return { ...task, text }
}

function judgeMisfits(misfits: Misfits): GraderOutput {
  const lines = misfits.map(({ at, why }) => plain(`${at === '' ? 'at the top' : at}: ${why}`))
  return failed(`does not fit the schema: ${shortened(lines[0] ?? '', 200)}`, lines.join('\n'))
}

function judgeValue(value: Json, { path = '', equals: expected, schema }: Options): GraderOutput {
  const fits = schema === undefined ? 'is JSON' : 'fits the schema'
  if (expected === undefined) return { score: 1, passed: true, reason: fits }
  const found = valueAt(value, path)
  const place = path === '' ? '' : ` at ${plain(path)}`
  if (sameJson(found, expected))
    return { score: 1, passed: true, reason: `has ${shown(expected)}${place}` }
  if (found === undefined) return failed(`has nothing${place}, expected ${shown(expected)}`)
  return failed(`expected ${shown(expected)}${place}, found ${shown(found)}`)
}

const shown = (value: Json): string => plain(shownJson(value))
