/** The text that these bytes are; null where they are none, so that it would not be the same bytes again. */
import { isUtf8 } from 'node:buffer'

export const textIn = (bytes: Buffer): string | null =>
  isUtf8(bytes) && !bytes.includes(0) ? bytes.toString('utf8') : null
