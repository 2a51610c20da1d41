/**
 * A leaderboard that shows uncertainty: for each subject, the set of ranks that the data do not
 * exclude. The best rank of a subject is one more than the number of subjects that are proven
 * better than it. Its worst rank is the number of subjects minus those that are proven worse.
 * Overlapping intervals would be the wrong criterion, because they ignore that all subjects
 * answered the same cases.
 *
 * A subject is proven better than another if the one-sided p-value of their paired difference is at most 1 − level,
 * after Holm's adjustment for all ordered pairs of subjects. "i is better than j" and "j is better than i" are two
 * hypotheses, so the adjustment also limits the chance of proving a difference with the wrong sign. With the chosen
 * confidence, all sets contain the true ranks at the same time.
 *
 * Source: Mogstad, Romano, Shaikh and Wilhelm 2024, Inference for Ranks.
 */
import { checkLength, checkLevel, checkSameLength } from '../../domain.ts'
import { mean } from '../../fsum.ts'
import { DEFAULT_LEVEL } from '../../metric.ts'
import { adjustP } from '../adjust-p.ts'
import { pairedDifference } from '../paired-difference.ts'

export interface RankSet {
  readonly mean: number
  /** The best rank that the data do not exclude; 1 is the top of the leaderboard. */
  readonly best: number
  /** The worst rank that the data do not exclude. */
  readonly worst: number
}

/**
 * The hypothesis that one subject is better than another. `better` and `worse` are indices of
 * subjects.
 */
interface Claim {
  readonly better: number
  readonly worse: number
  /** The one-sided p-value: a small one is evidence that the claim is true. */
  readonly p: number
}

/**
 * Returns the rank set of each subject, in the order given. values[subject][case] are scores,
 * higher is better. `groups[i]` names the group of case i, for example a template that it shares
 * with other cases. With only one case or one group nothing is proven, and every set contains all
 * ranks.
 *
 * @example
 * rankSets([
 *   [0.9, 0.8, 0.9, 1, 0.9],
 *   [0.1, 0.2, 0.1, 0, 0.1],
 * ]) // [{ mean: 0.9, best: 1, worst: 1 }, { mean: 0.1, best: 2, worst: 2 }]
 */
export function rankSets(
  values: readonly (readonly number[])[],
  level: number = DEFAULT_LEVEL,
  groups?: readonly (string | number)[],
): readonly RankSet[] {
  checkLength('values', values)
  checkLevel(level)
  const [first = []] = values
  for (const row of values) checkSameLength('values of a subject', row, 'of the first', first)
  checkLength('values of a subject', first)
  const claims: Claim[] = []
  for (const [i, row] of values.entries())
    for (const [j, other] of values.slice(0, i).entries()) {
      const { difference, p } = pairedDifference(other, row, level, groups)
      const [better, worse] = difference > 0 ? [i, j] : [j, i]
      // p is null if no test is possible. Then neither direction is proven.
      claims.push(
        { better, worse, p: p === null ? 1 : p / 2 },
        { better: worse, worse: better, p: p === null ? 1 : 1 - p / 2 },
      )
    }
  const adjusted = adjustP(
    claims.map(({ p }) => p),
    'holm',
  )
  const alpha = 1 - level
  const proven = claims.filter((_, i) => (adjusted[i] as number) <= alpha)
  return values.map((row, i) => ({
    mean: mean(row),
    best: 1 + proven.filter(({ worse }) => worse === i).length,
    worst: values.length - proven.filter(({ better }) => better === i).length,
  }))
}
