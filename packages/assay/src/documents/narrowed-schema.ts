/**
 * Makes the check of many similar tables cheaper. Zod visits every key of a schema, also those that a table does not
 * have: a case may have forty keys and usually has five. So tables with the same keys are checked with a schema of only
 * these keys, and of those that a table must have. It accepts the same tables and returns the same data. If it refuses a
 * table, the caller asks the whole schema, whose messages know all keys.
 */
import { z } from 'zod'

type Schema = z.ZodType

/** A schema for one set of keys is made once that many tables have had these keys. Making it takes a millisecond. */
const WORTHWHILE = 64
/** The most sets of keys per schema. Tables with ever different keys gain nothing. */
const MOST_SETS = 32
/** Schemas with fewer keys gain nothing. */
const FEWEST_KEYS = 8
/** A table with more keys has unknown ones, or is too rare to gain anything. */
const MOST_KEYS = 32

interface KeySets {
  /** The keys that every narrowed schema has. Null if the schema cannot be narrowed. */
  readonly needed: readonly string[] | null
  readonly sets: Map<string, { uses: number; schema: Schema | null }>
}

const known = new WeakMap<Schema, KeySets>()

/** Returns a schema for the keys that the value has. Null if the whole schema has to be used. */
export function narrowed(schema: Schema, value: unknown): Schema | null {
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null) return null
  let keySets = known.get(schema)
  if (keySets === undefined) known.set(schema, (keySets = keySetsOf(schema)))
  const { needed, sets } = keySets
  if (needed === null) return null
  const keys = Object.keys(value)
  if (keys.length > MOST_KEYS) return null
  const name = keys.join('\n')
  const set = sets.get(name)
  if (set === undefined) {
    if (sets.size < MOST_SETS) sets.set(name, { uses: 1, schema: null })
    return null
  }
  if (set.schema === null && ++set.uses === WORTHWHILE)
    set.schema = pick(schema, [...needed, ...keys])
  return set.schema
}

function keySetsOf(schema: z.ZodObject): KeySets {
  const entries = Object.entries(schema.shape)
  // A schema that checks several keys together cannot do without any of them.
  const isWhole = (schema.def.checks ?? []).length > 0
  const needed =
    isWhole || entries.length < FEWEST_KEYS
      ? null
      : entries.flatMap(([key, one]) => (mayLack(one) ? [] : [key]))
  return { needed, sets: new Map() }
}

/** Whether a table may lack the key, and no value is then set in its place. */
const mayLack = ({ _zod: { optin, optout } }: z.core.$ZodType): boolean =>
  optin === 'optional' && optout === 'optional'

/** Returns the schema of these keys, in its own order. Null if it does not have one of them. */
function pick(schema: z.ZodObject, keys: readonly string[]): Schema | null {
  const all = Object.keys(schema.shape)
  if (!keys.every((key) => all.includes(key))) return null
  const picked = all.filter((key) => keys.includes(key))
  const mask: Readonly<Record<string, true>> = Object.fromEntries(picked.map((key) => [key, true]))
  return schema.pick(mask as never)
}
