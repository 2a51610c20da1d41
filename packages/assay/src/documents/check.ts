/**
 * Checks data against a zod schema. It converts zod's issues to problems with a location. A problem says what was
 * found, what was expected, and which valid key or choice is nearest.
 */
import type { z } from 'zod'
import { nearest } from '../text/index.ts'
import { narrowed } from './narrowed-schema.ts'
import { valueAt, type Notes } from './notes.ts'
import { quote, type Path } from './problem.ts'

type Issue = z.core.$ZodIssue
type Schema = z.ZodType

export interface CheckOptions {
  /** The path in the document at which the checked data is. */
  readonly path?: Path
  /** Keys that are valid at the top level in addition to the keys of the schema. They are used for suggestions. */
  readonly alsoValid?: readonly string[]
}

/** Returns the parsed data. If the data is invalid, adds the problems to the notes and returns undefined. */
export function check<Output>(
  schema: z.ZodType<Output>,
  value: unknown,
  notes: Notes,
  options: CheckOptions = {},
): Output | undefined {
  const quick = narrowed(schema, value)?.safeParse(value)
  if (quick?.success === true) return quick.data as Output
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const checking: Checking = { schema, value, notes, base: options.path ?? [], options }
  for (const issue of result.error.issues) noteIssue(checking, issue, [])
  return undefined
}

interface Checking {
  readonly schema: Schema
  readonly value: unknown
  readonly notes: Notes
  readonly base: Path
  readonly options: CheckOptions
}

function noteIssue(checking: Checking, issue: Issue, prefix: Path): void {
  const inner: Path = [...prefix, ...issue.path.map(toStep)]
  const path: Path = [...checking.base, ...inner]
  const value = valueAt(checking.value, inner)
  const { notes } = checking

  switch (issue.code) {
    case 'unrecognized_keys': {
      const also = inner.length === 0 ? (checking.options.alsoValid ?? []) : []
      const valid = [...also, ...keysAt(checking.schema, inner)]
      for (const key of issue.keys) notes.unknownKey([...path, key], valid)
      return
    }
    case 'invalid_type': {
      const expected = nounOf(issue.expected)
      const key = inner.at(-1)
      if (value === undefined && typeof key === 'string')
        notes.problem(path.slice(0, -1), {
          found: 'nothing',
          expected: `the key ${key} (${expected})`,
          message: `the key ${key} is missing, expected ${expected}`,
        })
      else notes.problem(path, { expected })
      return
    }
    case 'invalid_value': {
      const choices = issue.values.map(String)
      const near = typeof value === 'string' ? nearest(value, choices) : null
      const expected =
        choices.length === 1 ? quote(choices[0] ?? '') : `one of ${choices.join(', ')}`
      notes.problem(path, { expected, nearest: near })
      return
    }
    case 'too_small':
    case 'too_big':
      notes.problem(path, { expected: boundOf(issue) })
      return
    case 'invalid_union':
      noteUnion(checking, issue, inner)
      return
    case 'invalid_key':
    case 'invalid_element': {
      const first = issue.issues[0]
      const key = String(inner.at(-1) ?? '')
      const expected = first?.message ?? 'a valid key'
      notes.problem(path, { at: 'key', found: quote(key), expected, message: expected })
      return
    }
    case 'invalid_format':
    case 'not_multiple_of':
    case 'custom':
      notes.problem(path, { expected: issue.message })
      return
  }
}

/**
 * Reports the problem of a value that matches no branch of a union. If exactly one branch accepts this kind of
 * value, the problems of that branch are reported. Otherwise the problem lists what all branches accept.
 */
function noteUnion(
  checking: Checking,
  issue: Extract<Issue, { code: 'invalid_union' }>,
  inner: Path,
): void {
  const path: Path = [...checking.base, ...inner]
  const branches = issue.errors.filter((issues) => !issues.some(isWrongKind))
  const [only] = branches
  if (branches.length === 1 && only !== undefined) {
    for (const nested of only) noteIssue(checking, nested, inner)
    return
  }
  const wanted = issue.errors
    .flat()
    .map((nested) => (nested.code === 'invalid_type' ? nounOf(nested.expected) : nested.message))
  const spoken =
    issue.message === 'Invalid input' ? [...new Set(wanted)].join(' or ') : issue.message
  checking.notes.problem(path, { expected: spoken === '' ? 'another value' : spoken })
}

const isWrongKind = (issue: Issue): boolean =>
  issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value')

const toStep = (step: PropertyKey): string | number =>
  typeof step === 'symbol' ? String(step) : step

const NOUNS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a table',
  record: 'a table',
  null: 'null',
}

const nounOf = (expected: string): string => NOUNS[expected] ?? expected

function boundOf(issue: Extract<Issue, { code: 'too_small' | 'too_big' }>): string {
  const small = issue.code === 'too_small'
  const bound = String(small ? issue.minimum : issue.maximum)
  const inclusive = issue.inclusive ?? true
  const most = small ? 'at least' : 'at most'
  switch (issue.origin) {
    case 'string':
      return small && bound === '1'
        ? 'text that is not empty'
        : `text of ${most} ${bound} characters`
    case 'array':
      return small && bound === '1'
        ? 'a list with at least one entry'
        : `a list of ${most} ${bound} entries`
    default: {
      const noun = issue.origin === 'int' ? 'a whole number' : 'a number'
      if (inclusive) return `${noun} of ${most} ${bound}`
      return `${noun} ${small ? 'above' : 'below'} ${bound}`
    }
  }
}

/** Returns the keys that a schema allows at a path. Empty if the schema does not list its keys. */
export function keysAt(schema: Schema, path: Path): string[] {
  const keys = new Set<string>()
  for (const object of objectsAt(schema, path))
    for (const [key, value] of Object.entries(object)) if (!isRefused(value)) keys.add(key)
  return [...keys]
}

/** Whether a key is in the schema only so that it gets its own error message, such as `weight` of a case. */
const isRefused = (schema: Schema): boolean => {
  const { type, innerType } = schema.def as { readonly type: string; readonly innerType?: unknown }
  return type === 'never' || (isSchema(innerType) && isRefused(innerType))
}

type Shape = Readonly<Record<string, Schema>>

function objectsAt(schema: Schema, path: Path): Shape[] {
  // Zod's public types do not say what a definition contains. So each value is checked before it is used.
  const def = schema.def as unknown as Readonly<Record<string, unknown>> & { type: string }
  const down = (next: unknown, rest: Path): Shape[] => (isSchema(next) ? objectsAt(next, rest) : [])
  const [step, ...rest] = path

  switch (def.type) {
    case 'object': {
      const shape = def['shape'] as Shape
      return step === undefined ? [shape] : down(shape[String(step)], rest)
    }
    case 'array':
      return step === undefined ? [] : down(def['element'], rest)
    case 'record':
      return step === undefined ? [] : down(def['valueType'], rest)
    case 'union':
      return (def['options'] as Schema[]).flatMap((option) => objectsAt(option, path))
    case 'pipe':
      return down(def['in'], path)
    default:
      // Schemas such as optional, default, nullable and readonly wrap another schema. The search continues in that
      // schema.
      return down(def['innerType'], path)
  }
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && 'def' in value
