/**
 * Streams of random numbers. Each stream is seeded by its purpose. So a trial draws the same numbers, no matter which
 * other trials run and in which order.
 */
import type { Identity } from '@assay/contract'
import { random } from '@assay/metrics'

/**
 * Returns a 32-bit hash of a text (FNV-1a). It turns a name into a seed for a stream. `from` continues the hash of an
 * earlier text.
 */
export function hash32(text: string, from: number = 0x811c9dc5): number {
  let hash = from
  for (let i = 0; i < text.length; i++) {
    hash ^= text.charCodeAt(i)
    hash = Math.imul(hash, 0x01000193)
  }
  return hash >>> 0
}

/**
 * The purposes of streams. Each purpose has its own numbers, so drawing for one purpose does not change the numbers of
 * another.
 */
const PURPOSE = { answer: 1, backoff: 2, grade: 3, order: 4, judge: 5, requests: 6 } as const

export type Purpose = keyof typeof PURPOSE

/**
 * Returns a stream of uniform numbers in [0, 1) that depends only on these arguments. It is seeded when the first
 * number is drawn, because most trials never draw for back-off or grading.
 */
export function stream(seed: number, purpose: Purpose, ...words: number[]): () => number {
  let draw: (() => number) | null = null
  return () => {
    draw ??= random(seed, PURPOSE[purpose], ...words)
    return draw()
  }
}

/**
 * Returns a stream of random numbers for one trial. It is seeded when the first number is drawn, because most trials
 * never draw from most of their streams.
 */
export function trialStream(seed: number, purpose: Purpose, trial: Identity): () => number {
  let draw: (() => number) | null = null
  return () => {
    if (draw === null) {
      const { suite, case: id, subject, index } = trial
      draw = random(seed, PURPOSE[purpose], hash32(`${suite}\n${id}\n${subject}`), index)
    }
    return draw()
  }
}
