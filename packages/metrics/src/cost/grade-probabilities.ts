/**
 * How sure is a letter? A grade is read off a median score, and a median of few runs jumps: with an
 * implementation score of 0.95 and a true pass rate of 0.6, ten runs show an A in 64 % of the
 * samples and an F in 17 %. Resampling the scores says how the letter itself varies.
 */
import { checkLength, checkNumber } from '../domain.ts'
import { bootstrapBlock, bootstrapBlocks, type BootstrapOptions } from '../resample/bootstrap.ts'
import { distinctRows } from '../resample/distinct-rows.ts'
import type { Statistic } from '../resample/statistic.ts'

export interface GradeProbability {
  readonly grade: string
  readonly probability: number
}

/** The value at a 0-based position when each value is repeated by its weight. */
function valueAt(values: Float64Array, weights: Float64Array, position: number): number {
  let passed = 0
  let i = 0
  while ((passed += weights[i] as number) <= position) i++
  return values[i] as number
}

const median: Statistic = (weights, { columns, cases }) => {
  const [values] = columns as readonly [Float64Array]
  const upper = valueAt(values, weights, Math.floor(cases / 2))
  if (cases % 2 === 1) return [upper]
  return [(valueAt(values, weights, cases / 2 - 1) + upper) / 2]
}

/**
 * The medians of resamples of the scores, for {@link gradeProbabilities}. One score per case (its
 * mean over trials) answers for cases like these.
 *
 * @example resampledMedians([0.9, 0.9], { seed: 1, resamples: 2 }) // Float64Array [0.9, 0.9]
 */
export function resampledMedians(
  scores: readonly number[],
  options: Omit<BootstrapOptions, 'level'>,
): Float64Array {
  checkLength('scores', scores)
  for (const score of scores) checkNumber('scores', score)
  const rows = distinctRows(scores.map((score) => [score]))
  const blocks = Array.from({ length: bootstrapBlocks(options.resamples) }, (_, block) =>
    bootstrapBlock(rows, median, options, block),
  )
  return Float64Array.from(blocks.flatMap((block) => Array.from(block)))
}

/**
 * The share of resampled scores that gets each grade, from the grade of the highest score down.
 * Grades that never came up are not listed: their probability is not shown to be 0.
 *
 * @example
 * const gradeOf = (score) => (score >= 0.5 ? 'pass' : 'fail')
 * gradeProbabilities(gradeOf, [0.2, 0.6, 0.7, 0.9])[0] // { grade: 'pass', probability: 0.75 }
 */
export function gradeProbabilities(
  gradeOf: (score: number) => string,
  scores: ArrayLike<number> & Iterable<number>,
): readonly GradeProbability[] {
  checkLength('scores', scores)
  for (const score of scores) checkNumber('scores', score)
  const counts = new Map<string, number>()
  for (const score of Float64Array.from(scores).sort().reverse()) {
    const grade = gradeOf(score)
    counts.set(grade, (counts.get(grade) ?? 0) + 1)
  }
  return Array.from(counts, ([grade, count]) => ({ grade, probability: count / scores.length }))
}
