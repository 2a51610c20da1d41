/** Functions for JSON values: find a part, compare two values, format a value for people. */
import type { Json } from '@assay/contract'
import { shortened } from './shown.ts'

/** A JSON Pointer (RFC 6901). It is empty, or it is a list of keys and indexes with a slash before each. */
export const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/

/** Returns the value at a JSON Pointer, or undefined if there is none. */
export function valueAt(value: Json, pointer: string): Json | undefined {
  let here: Json | undefined = value
  for (const step of pointer.split('/').slice(1)) {
    if (typeof here !== 'object' || here === null) return undefined
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    // In a list, only indexes are valid keys. `length` is a property but not an entry.
    if (Array.isArray(here) && !/^(?:0|[1-9]\d*)$/.test(key)) return undefined
    here = Object.hasOwn(here, key) ? (here as Readonly<Record<string, Json>>)[key] : undefined
  }
  return here
}

/**
 * Whether two values are equal. The order of keys does not matter. The function recurses no deeper than `expected`,
 * so a deeply nested answer cannot overflow the stack.
 */
export function sameJson(found: Json | undefined, expected: Json): boolean {
  if (typeof expected !== 'object' || expected === null) return found === expected
  if (typeof found !== 'object' || found === null) return false
  if (Array.isArray(expected) !== Array.isArray(found)) return false
  const [ours, theirs] = [Object.entries(expected), found as Readonly<Record<string, Json>>]
  return (
    ours.length === Object.keys(theirs).length &&
    ours.every(([key, value]) => Object.hasOwn(theirs, key) && sameJson(theirs[key], value))
  )
}

/** Formats a value for the text of a grade's reason. */
export function shownJson(value: Json, most = 80): string {
  try {
    return shortened(JSON.stringify(value), most)
  } catch {
    return 'a value too deep to show'
  }
}
