/**
 * A leaderboard that does not pretend: for each subject the set of ranks the data cannot rule out.
 * A subject's best rank is one more than the subjects proven better, its worst is the number of
 * subjects minus those proven worse. Overlapping intervals would be the wrong criterion: they
 * ignore that all subjects met the same cases.
 *
 * "Proven" means a paired t test in that direction, Holm-adjusted over all M(M − 1) directed pairs.
 * Counting each direction as its own hypothesis keeps the guarantee also against a proven
 * difference of the wrong sign: with the chosen confidence all sets hold the true ranks at once.
 *
 * Source: Mogstad, Romano, Shaikh and Wilhelm 2024, Inference for Ranks.
 */
import { checkBetween, checkLength, checkSameLength } from '../../domain.ts'
import { mean } from '../../fsum.ts'
import { DEFAULT_LEVEL } from '../../metric.ts'
import { adjustP } from '../adjust-p.ts'
import { pairedDifference } from '../paired-difference.ts'

export interface RankSet {
  readonly mean: number
  /** Best rank not ruled out; 1 is first. */
  readonly best: number
  /** Worst rank not ruled out. */
  readonly worst: number
}

interface Claim {
  readonly better: number
  readonly worse: number
  /** One-sided p-value of "not better". */
  readonly p: number
}

/**
 * The rank set of each subject, in the order given; values[subject][case], higher is better. With a
 * single case, or groups that make one unit, nothing is proven and every set is the whole range.
 * `groups[i]` names what case i shares with others.
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
  checkBetween('level', level, 0, 1)
  const [first = []] = values
  for (const row of values) checkSameLength('values of a subject', row, 'of the first', first)
  checkLength('values of a subject', first)
  const claims: Claim[] = []
  for (const [i, row] of values.entries())
    for (const [j, other] of values.slice(0, i).entries()) {
      const { difference, p } = pairedDifference(other, row, level, groups)
      const [better, worse] = difference > 0 ? [i, j] : [j, i]
      // Where nothing can be told, neither direction is proven.
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
