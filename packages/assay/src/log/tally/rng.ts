/**
 * Random streams keyed by what they are for, so that a trial draws the same numbers whatever runs
 * beside it and in whatever order.
 */
import { random } from '@assay/metrics'

/** A 32-bit hash of a text (FNV-1a), to key a stream by a name. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) {
    hash ^= text.charCodeAt(i)
    hash = Math.imul(hash, 0x01000193)
  }
  return hash >>> 0
}

/** What a stream is for: nothing that draws for one purpose disturbs another. */
const PURPOSE = { answer: 1, backoff: 2, grade: 3, order: 4, judge: 5 } as const

export type Purpose = keyof typeof PURPOSE

/**
 * A stream of uniform numbers in [0, 1) that belongs to these words alone. Seeded when the first number
 * is drawn: most trials never draw for back-off or grading.
 */
export function stream(seed: number, purpose: Purpose, ...words: number[]): () => number {
  let draw: (() => number) | null = null
  return () => {
    draw ??= random(seed, PURPOSE[purpose], ...words)
    return draw()
  }
}
