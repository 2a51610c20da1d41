/**
 * Transfers the large texts of answers and trials. The log stores such texts in separate files (blobs). In Redis, they
 * are sent together with the message that refers to them.
 */
import type { Text } from '@assay/contract'
import { INLINE_BYTES } from '../log/index.ts'
import type { KeptAnswer, TrialStore } from '../run/index.ts'
import { sha256 } from './messages.ts'

export type Texts = Record<string, string>

/** Collects large texts while they are replaced by references. */
export class TextCollector {
  readonly texts: Texts = {}

  put(text: string): Text {
    const bytes = Buffer.byteLength(text)
    if (bytes <= INLINE_BYTES) return text
    const blob = sha256(text)
    this.texts[blob] = text
    return { blob, bytes }
  }
}

/** Returns a function that reads the texts that came with a message. */
export const readerOf =
  (texts: Readonly<Texts>) =>
  async (text: Text): Promise<string> => {
    if (typeof text === 'string') return text
    const found = texts[text.blob]
    if (found === undefined || sha256(found) !== text.blob)
      throw new Error('a text of the answer is missing')
    return found
  }

/**
 * Writes the texts that came with a message to the run folder. Throws if a text does not match the hash that names it.
 */
export async function storeTexts(
  store: Pick<TrialStore, 'maskedText'>,
  texts: Readonly<Texts>,
): Promise<void> {
  for (const [blob, text] of Object.entries(texts)) {
    const stored = await store.maskedText(text)
    if (typeof stored === 'string' || stored.blob !== blob)
      throw new Error('a text is not what its hash says')
  }
}

/** Reads all large texts of a stored answer. */
export async function textsOf(
  { text, files = {}, trajectory, stream, diff, messages, log, traffic }: KeptAnswer,
  read: (text: Text) => Promise<string>,
): Promise<Texts> {
  const texts: Texts = {}
  for (const one of [
    text,
    ...Object.values(files),
    ...[trajectory, stream, diff, messages, log, traffic],
  ])
    if (one !== undefined && typeof one !== 'string') texts[one.blob] = await read(one)
  return texts
}
