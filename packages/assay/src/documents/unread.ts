/**
 * Notes every key in a file that the schema does not know. It is used for formats of other programs, so that no part of
 * such a file is ignored silently.
 */
import type { z } from 'zod'
import { keysAt } from './check.ts'
import type { Notes } from './notes.ts'
import type { Path } from './problem.ts'

export function noteUnread(schema: z.ZodType, value: unknown, path: Path, notes: Notes): void {
  const walk = (here: unknown, inner: Path): void => {
    if (Array.isArray(here)) {
      for (const [index, item] of here.entries()) walk(item, [...inner, index])
      return
    }
    if (typeof here !== 'object' || here === null) return
    const known = keysAt(schema, inner)
    // If the schema lists no keys here (because it allows text or any table), every key is allowed.
    if (known.length === 0) return
    for (const [key, entry] of Object.entries(here))
      if (known.includes(key)) walk(entry, [...inner, key])
      else notes.unread([...path, ...inner, key])
  }
  walk(value, [])
}
