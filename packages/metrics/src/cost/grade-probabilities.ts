/**
 * How certain is a letter grade? A grade is derived from a median score, and the median of few runs varies
 * strongly. For example, take an implementation score of 0.95 and a true pass rate of 0.6. Then ten runs give an A
 * in 63 % of the samples and an F in 17 %. Resampling the scores shows how much the grade varies.
 */
import { checkGroup, checkLength, checkNumber, checkSameLength } from '../domain.ts'
import type { Groups } from '../interval/pass-estimate.ts'
import { bootstrapBlock, bootstrapBlocks, type BootstrapOptions } from '../resample/bootstrap.ts'
import { distinctRows, type DistinctRows } from '../resample/distinct-rows.ts'
import type { Statistic } from '../resample/statistic.ts'

export interface GradeProbability {
  readonly grade: string
  readonly probability: number
}

/**
 * Returns the value at a 0-based position in a list. The list contains each value as often as its
 * weight says, and it is not built in memory.
 */
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
 * Prepares a bootstrap that resamples groups. Returns one row per group, and the function that computes the median of
 * the scores of all drawn groups.
 */
function groupedMedian(
  scores: readonly number[],
  groups: Groups,
): { readonly rows: DistinctRows; readonly statistic: Statistic } {
  const members = new Map<string | number, number[]>()
  const values = Float64Array.from(scores).sort()
  const place = new Map(Array.from(values, (value, i) => [value, i]))
  for (const [i, group] of groups.entries()) {
    const own = members.get(group) ?? []
    own.push(place.get(scores[i] as number) as number)
    members.set(group, own)
  }
  const lists = [...members.values()]
  const counts = new Float64Array(values.length)
  const statistic: Statistic = (weights) => {
    counts.fill(0)
    let cases = 0
    for (const [g, list] of lists.entries())
      for (const i of list) {
        counts[i] = (counts[i] as number) + (weights[g] as number)
        cases += weights[g] as number
      }
    return median(counts, { columns: [values], cases, multiplicity: counts })
  }
  const multiplicity = new Float64Array(lists.length).fill(1)
  return { rows: { cases: lists.length, multiplicity, columns: [] }, statistic }
}

/**
 * Returns the medians of resamples of the scores, for {@link gradeProbabilities}. Pass one score
 * per case (its mean over trials) to describe the variation over cases like these. If `groups[i]`
 * names the group of score i, groups are resampled instead of scores.
 *
 * @example resampledMedians([0.9, 0.9], { seed: 1, resamples: 2 }) // Float64Array [0.9, 0.9]
 */
export function resampledMedians(
  scores: readonly number[],
  options: Omit<BootstrapOptions, 'level'> & { readonly groups?: Groups },
): Float64Array {
  checkLength('scores', scores)
  for (const score of scores) checkNumber('scores', score)
  const { groups } = options
  if (groups) {
    checkSameLength('groups', groups, 'scores', scores)
    for (const group of groups) checkGroup(group)
  }
  const { rows, statistic } = groups
    ? groupedMedian(scores, groups)
    : { rows: distinctRows(scores.map((score) => [score])), statistic: median }
  const blocks = Array.from({ length: bootstrapBlocks(options.resamples) }, (_, block) =>
    bootstrapBlock(rows, statistic, options, block),
  )
  return Float64Array.from(blocks.flatMap((block) => Array.from(block)))
}

/**
 * Returns the share of resampled scores that gets each grade, starting with the grade of the
 * highest score. Grades that do not occur are not listed, because a share of 0 among the resamples
 * does not prove a probability of 0.
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
