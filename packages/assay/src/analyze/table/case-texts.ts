/**
 * Checks whether a case is the same for all subjects. Some tables have a text that says what a case asks, such as the
 * prompt. If two subjects have a case with the same name but different texts, the name is probably a row number.
 * Comparing the two subjects would then pair different cases.
 */
import { Pairs } from './dictionary.ts'

export class CaseTexts {
  readonly #cases = new Pairs()
  /** For each case, the hash of the first text that each subject has. */
  readonly #hashes: Map<number, number>[] = []
  /** The name of the column with the texts. */
  column: string | null = null

  see(suite: number, one: number, subject: number, hash: number): void {
    const id = this.#cases.idOf(suite, one)
    const known = (this.#hashes[id] ??= new Map())
    if (!known.has(subject)) known.set(subject, hash)
  }

  /** Returns the number of cases that at least two subjects have, and how many of them have different texts. */
  compare(): { readonly shared: number; readonly different: number } {
    let [shared, different] = [0, 0]
    for (const known of this.#hashes) {
      if (known.size < 2) continue
      shared++
      if (new Set(known.values()).size > 1) different++
    }
    return { shared, different }
  }
}

/**
 * Returns a hash of a text's bytes (FNV-1a). If two different texts have the same hash, the only effect is that their
 * difference is not noticed.
 */
export function textHash(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193)
  return hash >>> 0
}
