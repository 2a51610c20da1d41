/**
 * Returns the bytes as text. Returns null if they are not valid UTF-8, because their text could not be turned back into
 * the same bytes.
 */
import { isUtf8 } from 'node:buffer'

export const textIn = (bytes: Buffer): string | null =>
  isUtf8(bytes) && !bytes.includes(0) ? bytes.toString('utf8') : null
