/** JSON values: finding a part of one, comparing two, and showing one to a person. */
import type { Json } from '@assay/contract'
import { shortened } from './shown.ts'

/** RFC 6901: empty, or keys and indexes that each follow a slash. */
export const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/

/** What stands at a JSON Pointer; undefined where there is nothing. */
export function valueAt(value: Json, pointer: string): Json | undefined {
  let here: Json | undefined = value
  for (const step of pointer.split('/').slice(1)) {
    if (typeof here !== 'object' || here === null) return undefined
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    // The length of a list is no part of it.
    if (Array.isArray(here) && !/^(?:0|[1-9]\d*)$/.test(key)) return undefined
    here = Object.hasOwn(here, key) ? (here as Readonly<Record<string, Json>>)[key] : undefined
  }
  return here
}

/** The same value, whatever the order of keys. As deep as `expected` goes and no deeper. */
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

/** A value as a sentence shows it. */
export function shownJson(value: Json, most = 80): string {
  try {
    return shortened(JSON.stringify(value), most)
  } catch {
    return 'a value too deep to show'
  }
}
