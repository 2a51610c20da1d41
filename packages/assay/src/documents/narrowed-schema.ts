/**
 * Makes it cheaper to check many similar tables. Zod visits every key of a schema, even keys that a table does not
 * have. A case may have forty keys and usually has five. So tables with the same keys are checked with a narrowed
 * schema, which has only these keys and the required keys. It accepts the same tables and returns the same data. If it
 * refuses a table, the caller uses the whole schema, because its messages can suggest all keys.
 */
import { z } from 'zod'

type Schema = z.ZodType

/**
 * The number of tables with the same keys that must have been checked before a schema is made for these keys. Making
 * one takes a millisecond.
 */
const WORTHWHILE = 64
/**
 * The maximum number of narrowed schemas per schema. If every table has other keys, narrowed schemas do not save time.
 */
const MOST_SETS = 32
/** The minimum number of keys of a schema that is narrowed. A smaller schema is fast anyway. */
const FEWEST_KEYS = 8
/**
 * The maximum number of keys of a table that is checked with a narrowed schema. A table with more keys has unknown
 * keys, or such tables are too rare to save time.
 */
const MOST_KEYS = 32

interface KeySets {
  /** The keys that every narrowed schema has. Null if the schema cannot be narrowed. */
  readonly needed: readonly string[] | null
  readonly sets: Map<string, { uses: number; schema: Schema | null }>
}

const known = new WeakMap<Schema, KeySets>()

/** Returns a schema for the keys that the value has. Null if the whole schema must be used. */
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
  // A schema with checks over several keys cannot be narrowed, because these checks may need any of the keys.
  const isWhole = (schema.def.checks ?? []).length > 0
  const needed =
    isWhole || entries.length < FEWEST_KEYS
      ? null
      : entries.flatMap(([key, one]) => (mayLack(one) ? [] : [key]))
  return { needed, sets: new Map() }
}

/** Whether a table need not have the key, and the schema then sets no default value for it. */
const mayLack = ({ _zod: { optin, optout } }: z.core.$ZodType): boolean =>
  optin === 'optional' && optout === 'optional'

/**
 * Returns the schema of these keys, in the order of the whole schema. Null if the whole schema does not have one of
 * them.
 */
function pick(schema: z.ZodObject, keys: readonly string[]): Schema | null {
  const all = Object.keys(schema.shape)
  if (!keys.every((key) => all.includes(key))) return null
  const picked = all.filter((key) => keys.includes(key))
  const mask: Readonly<Record<string, true>> = Object.fromEntries(picked.map((key) => [key, true]))
  return schema.pick(mask as never)
}
