/** Masks the texts in a JSON value and keeps its structure. No key is lost, even if masking makes two keys equal. */
import type { Json } from '@assay/contract'
import type { Redact } from './redact.ts'

/** Masks all texts in a JSON value. Also masks the keys, unless `what` says that they are known keys of a record. */
export function maskedJson(
  value: Json,
  redact: Redact,
  what: 'keys and values' | 'values' = 'keys and values',
): Json {
  if (typeof value === 'string') return redact(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one: Json) => maskedJson(one, redact, what))
  const entries = Object.entries(value)
    // A custom subject or grader may return a key whose value is undefined. JSON cannot express undefined, so the key
    // is left out.
    .filter(([, one]) => one !== undefined)
    .map(([key, one]): [string, Json] => [key, maskedJson(one, redact, what)])
  return Object.fromEntries(what === 'values' ? entries : maskedKeys(entries, redact))
}

/** Returns the entries with masked keys. If two keys become equal, the second one gets a number. */
export function maskedKeys<Value>(
  entries: readonly (readonly [string, Value])[],
  redact: Redact,
): [string, Value][] {
  const names = entries.map(([key]) => redact(key))
  if (names.every((name, i) => name === entries[i]?.[0])) return entries.map(([k, v]) => [k, v])
  // A key that masking does not change keeps its name. Only keys that masking changes may get a number.
  const taken = new Set(entries.map(([key]) => key).filter((key, i) => key === names[i]))
  return entries.map(([key, value], i) => {
    const name = names[i] as string
    if (name === key) return [key, value]
    let free = name
    for (let n = 2; taken.has(free); n++) free = `${name} (${n})`
    taken.add(free)
    return [free, value]
  })
}
