/**
 * Finds faults in a JSON Schema before anything is graded with it. The validator itself does not report them. It
 * accepts `type: "strng"` as a type that no value has, finds an unknown `$ref` only when an answer reaches it,
 * and never returns if a schema refers to itself. This code reads each part of the schema once, so an untrusted
 * suite cannot make the check endless.
 *
 * ajv 8.20 could replace the validator (@cfworker/json-schema) and most of this file, but it is worse:
 * - It accepts a schema that refers to itself without end, so `referenceFault` would still be needed. It
 *   compiles schemas to code, which takes 18 ms of CPU for a small schema instead of 1 ms here, and its stack
 *   overflows on a schema with 5000 properties.
 * - On 60,000 generated pairs of a schema and a value the two validators differed once, and ajv was wrong: it
 *   counts properties as evaluated by an `if` that failed.
 * - It is 3.2 MB in six packages (draft 4 is a separate package) instead of 0.7 MB in one.
 */
import { createRequire } from 'node:module'
import type * as JsonSchema from '@cfworker/json-schema'
import type { Schema } from '@cfworker/json-schema'
import type { Draft } from '../worker/task.ts'

const DRAFTS: Readonly<Record<string, Draft>> = {
  'http://json-schema.org/draft-04/schema': '4',
  'http://json-schema.org/draft-06/schema': '7',
  'http://json-schema.org/draft-07/schema': '7',
  'https://json-schema.org/draft/2019-09/schema': '2019-09',
  'https://json-schema.org/draft/2020-12/schema': '2020-12',
}

/**
 * Returns the JSON Schema draft that a schema names in `$schema`. Default: the latest. Null if the draft is
 * unknown.
 */
export function draftOf(schema: object | boolean): Draft | null {
  const named: unknown =
    typeof schema === 'object' && '$schema' in schema ? schema.$schema : undefined
  if (named === undefined) return '2020-12'
  return typeof named === 'string' ? (DRAFTS[named.replace(/#$/, '')] ?? null) : null
}

/** Loads the package on first use, because few suites have JSON Schemas. */
const validator = (): typeof JsonSchema =>
  createRequire(import.meta.url)('@cfworker/json-schema') as typeof JsonSchema

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']

type Kind = 'schema' | 'schemas' | 'schema or schemas' | 'named schemas' | Plain
type Plain = 'text' | 'texts' | 'number' | 'count' | 'list' | 'pattern' | 'type'

/** Keywords, grouped by the type of their values. All other keywords are annotations and may have any value. */
const HOLDERS: Readonly<Record<Kind, string>> = {
  schema:
    'additionalItems additionalProperties contains else if not propertyNames then unevaluatedItems unevaluatedProperties',
  'schema or schemas': 'items',
  schemas: 'allOf anyOf oneOf prefixItems',
  'named schemas': '$defs definitions dependentSchemas patternProperties properties',
  text: '$id $ref $anchor format',
  texts: 'required',
  list: 'enum',
  number: 'multipleOf maximum minimum',
  count:
    'maxItems minItems maxContains minContains maxLength minLength maxProperties minProperties',
  pattern: 'pattern',
  type: 'type',
}

const KINDS: ReadonlyMap<string, Kind> = new Map(
  Object.entries(HOLDERS).flatMap(([kind, keys]) =>
    keys.split(' ').map((key) => [key, kind as Kind]),
  ),
)

const EXPECTED: Readonly<Record<Plain, string>> = {
  text: 'a text',
  texts: 'a list of texts',
  number: 'a number',
  count: 'a whole number from 0',
  list: 'a list',
  pattern: 'a regular expression',
  type: `${TYPES.join(', ')} or a list of these`,
}

/**
 * Keywords whose schemas apply to the same value as the schema that contains them. A reference cycle through
 * these keywords never ends.
 */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']

/**
 * The limit on nesting of schemas with an `$id`. The validator's work doubles with each level: it reads the
 * outer schema twice, the next one four times, and so on.
 */
const MOST_NESTED_IDS = 4
const DEEPEST = 200

/** Returns the first fault of a schema, or null if there is none. */
export function schemaFault(schema: unknown): string | null {
  if (typeof schema === 'boolean') return null
  if (!isSchema(schema)) return 'a JSON Schema is a table, true or false'
  if (draftOf(schema) === null) return '$schema must name draft 4, 7, 2019-09 or 2020-12'
  const wrong = depthFault(schema, 0, 0) ?? partFault(schema, '')
  if (wrong !== null) return wrong
  // Work on a copy, because the validator modifies the schema that it reads.
  const marked = structuredClone(schema)
  let known: Readonly<Record<string, unknown>>
  try {
    known = validator().dereference(marked)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return referenceFault(marked, known)
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Checks how deeply schemas with an `$id` are nested, and how deep the whole schema is, including annotations. */
function depthFault(value: unknown, depth: number, ids: number): string | null {
  if (typeof value !== 'object' || value === null) return null
  if (depth > DEEPEST) return 'it is nested too deep'
  const named = '$id' in value || 'id' in value ? ids + 1 : ids
  if (named > MOST_NESTED_IDS) return `more than ${MOST_NESTED_IDS} schemas with an $id are nested`
  for (const inner of Object.values(value)) {
    const wrong = depthFault(inner, depth + 1, named)
    if (wrong !== null) return wrong
  }
  return null
}

function partFault(part: unknown, at: string): string | null {
  if (!isSchema(part)) return null
  for (const [key, value] of Object.entries(part)) {
    const wrong = keywordFault(key, value, `${at}/${key}`)
    if (wrong !== null) return wrong
    for (const [name, inner] of partsOf(key, value)) {
      const inside = partFault(inner, `${at}/${key}${name === '' ? '' : `/${name}`}`)
      if (inside !== null) return inside
    }
  }
  return null
}

function keywordFault(key: string, value: unknown, at: string): string | null {
  const kind = KINDS.get(key)
  switch (kind) {
    case undefined:
      return null
    case 'schema':
      return isSchemaOrBoolean(value) ? null : `${at} must be a schema`
    case 'schemas':
      return isSchemas(value) ? null : `${at} must be a list of schemas`
    case 'schema or schemas':
      return isSchemaOrBoolean(value) || isSchemas(value)
        ? null
        : `${at} must be a schema or a list`
    case 'named schemas': {
      if (!isSchema(value) || !Object.values(value).every(isSchemaOrBoolean))
        return `${at} must be a table of schemas`
      const bad =
        key === 'patternProperties' ? Object.keys(value).find((k) => !isPattern(k)) : undefined
      return bad === undefined ? null : `${at}/${bad} is not a regular expression`
    }
    default:
      return HOLDS[kind](value) ? null : `${at} must be ${EXPECTED[kind]}`
  }
}

const isSchemaOrBoolean = (value: unknown): boolean => typeof value === 'boolean' || isSchema(value)

const isSchemas = (value: unknown): boolean =>
  Array.isArray(value) && value.every(isSchemaOrBoolean)

const isText = (value: unknown): value is string => typeof value === 'string'

const HOLDS: Readonly<Record<Plain, (value: unknown) => boolean>> = {
  text: isText,
  texts: (value) => Array.isArray(value) && value.every(isText),
  number: Number.isFinite,
  count: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  list: Array.isArray,
  pattern: (value) => isText(value) && isPattern(value),
  type: (value) => [value].flat().every((one) => isText(one) && TYPES.includes(one)),
}

function isPattern(source: string): boolean {
  try {
    return RegExp(source, 'u') instanceof RegExp
  } catch {
    return false
  }
}

/**
 * Visits every schema once. Finds references to schemas that do not exist. Also finds reference cycles that never
 * move on to a nested value, because the validator would never end on them.
 */
function referenceFault(root: Schema, known: Readonly<Record<string, unknown>>): string | null {
  const done = new Set<unknown>()
  const open = new Set<unknown>()
  const waiting: unknown[] = [root]

  function follow(schema: unknown): string | null {
    if (!isSchema(schema)) return null
    if (open.has(schema)) return 'it refers to itself without end'
    if (done.has(schema)) return null
    if (open.size > DEEPEST) return 'its references are nested too deep'
    done.add(schema)
    open.add(schema)
    const here: unknown[] = []
    for (const key of Object.keys(schema)) {
      const inner = partsOf(key, schema[key]).map(([, part]) => part)
      if (IN_PLACE.includes(key)) here.push(...inner)
      else waiting.push(...inner)
    }
    for (const reference of [schema['__absolute_ref__'], schema['__absolute_recursive_ref__']]) {
      if (reference === undefined) continue
      if (known[reference] === undefined) return `$ref "${schema.$ref ?? '#'}" refers to nothing`
      here.push(known[reference])
    }
    for (const next of here) {
      const wrong = follow(next)
      if (wrong !== null) return wrong
    }
    open.delete(schema)
    return null
  }

  // Schemas for nested values are visited later. A cycle through them ends, because every value has a limited
  // depth.
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const wrong = follow(next)
    if (wrong !== null) return wrong
  }
  return null
}

/** Returns the schemas in a keyword's value, with their names. */
function partsOf(key: string, value: unknown): (readonly [string, unknown])[] {
  const kind = KINDS.get(key)
  switch (kind) {
    case 'named schemas':
      return isSchema(value) ? Object.entries(value) : []
    case 'schemas':
    case 'schema or schemas':
      return Array.isArray(value) ? value.map((part, i) => [String(i), part]) : [['', value]]
    case 'schema':
      return [['', value]]
    default:
      return []
  }
}
