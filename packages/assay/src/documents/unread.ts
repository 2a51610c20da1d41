/** Notes every key of foreign data that a schema does not know, so that nothing is ignored silently. */
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
    // A schema without keys here (text, a free table) does not restrict what is inside.
    if (known.length === 0) return
    for (const [key, entry] of Object.entries(here))
      if (known.includes(key)) walk(entry, [...inner, key])
      else notes.unread([...path, ...inner, key])
  }
  walk(value, [])
}
