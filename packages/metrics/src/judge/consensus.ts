/**
 * Computes one score from several runs of a judge. Each run states a score sᵢ and its confidence
 * cᵢ. A run with less confidence counts less: the result is Σ sᵢ·cᵢ / Σ cᵢ. `meanDifference` says
 * how far the runs are apart and decides whether the judge is asked again. The range of the scores
 * cannot be used for this decision, because it never shrinks when further runs agree.
 *
 * Source: the judge protocol of the tiered experiments; Gini 1912 for the mean difference.
 */
import { checkNumber } from '../domain.ts'
import { fsum } from '../fsum.ts'

/** The score of one run of a judge, and the confidence that the judge stated, both in [0, 1]. */
export interface Opinion {
  readonly score: number
  readonly confidence: number
}

/**
 * Returns the mean of the scores, weighted by confidence. If all confidences are 0, every run
 * counts the same. The result is null if there is no run.
 *
 * @example
 * consensus([{ score: 0.8, confidence: 0.9 }, { score: 0.5, confidence: 0.1 }]) // 0.77
 */
export function consensus(opinions: readonly Opinion[]): number | null {
  if (opinions.length === 0) return null
  for (const { score, confidence } of opinions) {
    checkNumber('score', score, 0, 1)
    checkNumber('confidence', confidence, 0, 1)
  }
  const scores = opinions.map(({ score }) => score)
  const isUnsure = opinions.every(({ confidence }) => confidence === 0)
  const weights = opinions.map(({ confidence }) => (isUnsure ? 1 : confidence))
  // The weights are divided by the largest one. Otherwise products with tiny confidences could be
  // too small for a double and become 0.
  const largest = Math.max(...weights)
  const scaled = weights.map((weight) => weight / largest)
  const sum = fsum(scores.map((score, i) => score * (scaled[i] ?? 0)))
  // Because of rounding, the last bit of the quotient may put it below the smallest or above the
  // largest score. So it is limited to that range.
  return Math.min(Math.max(...scores), Math.max(Math.min(...scores), sum / fsum(scaled)))
}

/**
 * Returns the mean distance between two scores, over all pairs of scores. The result is null if
 * there are fewer than two scores.
 *
 * @example
 * meanDifference([0.9, 0.9, 0.3]) // 0.4
 */
export function meanDifference(scores: readonly number[]): number | null {
  for (const score of scores) checkNumber('score', score)
  const distances = scores.flatMap((a, i) => scores.slice(i + 1).map((b) => Math.abs(a - b)))
  return distances.length === 0 ? null : fsum(distances) / distances.length
}
