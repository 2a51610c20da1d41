/** Names for content. */
import { createHash } from 'node:crypto'
import type { Json } from '../contract.ts'

/** A short hash of a value, as records carry it. */
export const hashOf = (value: Json): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32)
