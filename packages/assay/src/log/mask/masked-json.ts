/** JSON with its texts masked. Its structure stays: no key is lost, also where two would become the same. */
import type { Json } from '@assay/contract'
import type { Redact } from './redact.ts'

/** All texts; keys too, unless they are of a record whose keys are known. */
export function maskedJson(
  value: Json,
  redact: Redact,
  what: 'keys and values' | 'values' = 'keys and values',
): Json {
  if (typeof value === 'string') return redact(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one: Json) => maskedJson(one, redact, what))
  const entries = Object.entries(value)
    // A subject or grader of somebody else may leave such a key, and JSON does not write it.
    .filter(([, one]) => one !== undefined)
    .map(([key, one]): [string, Json] => [key, maskedJson(one, redact, what)])
  return Object.fromEntries(what === 'values' ? entries : maskedKeys(entries, redact))
}

/** The entries under masked keys; of two that become the same, the second is numbered. */
export function maskedKeys<Value>(
  entries: readonly (readonly [string, Value])[],
  redact: Redact,
): [string, Value][] {
  const names = entries.map(([key]) => redact(key))
  if (names.every((name, i) => name === entries[i]?.[0])) return entries.map(([k, v]) => [k, v])
  // Keys that are not masked keep their names.
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
