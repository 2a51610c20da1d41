/**
 * Kruskal-Wallis: do three or more independent samples, such as tiers, have the same distribution?
 * It is the one-way analysis of variance on ranks, with the tie correction. The p-value of the
 * statistic H comes from the chi-square distribution, which is accurate from about five values per
 * group on. For two groups use mannWhitneyU; for pass/fail use homogeneityTest.
 *
 * Source: Kruskal and Wallis 1952.
 */
import { checkLength, checkNumber } from '../../domain.ts'
import { fsum } from '../../fsum.ts'
import { chiSquareSf } from '../../special/chi-square.ts'
import { midranks } from './midranks.ts'

export interface KruskalWallis {
  /** The test statistic H; 0 if all values are equal. */
  readonly h: number
  readonly df: number
  readonly p: number
}

/**
 * Returns the statistic H and the p-value of the hypothesis "all groups come from one
 * distribution". The p-value comes from the chi-square distribution. The degrees of freedom are the
 * number of groups minus one. If all values are equal, h is 0 and p is 1.
 *
 * @example kruskalWallis([[1, 2, 3], [4, 5, 6], [7, 8, 9]]).h // 7.2
 */
export function kruskalWallis(groups: readonly (readonly number[])[]): KruskalWallis {
  checkLength('groups', groups, 2)
  for (const group of groups) {
    checkLength('group', group)
    for (const value of group) checkNumber('group', value)
  }
  const { doubled, tieSum } = midranks(groups.flat())
  const all = doubled.length
  const df = groups.length - 1
  // The mean of the doubled ranks is N + 1, with or without ties, where N (`all`) is the number of
  // values. Sums of deviations from this mean are more accurate than the textbook formula, which
  // subtracts two large numbers.
  const between: number[] = []
  let start = 0
  for (const { length } of groups) {
    const ranks = doubled.slice(start, start + length)
    const deviation = ranks.reduce((total, rank) => total + (rank - (all + 1)), 0)
    between.push((deviation * deviation) / length)
    start += length
  }
  // `spread` is the sum of the squared deviations of the ranks from their mean, which is (N³ − N −
  // Σ(t³ − t)) / 12, where t is the size of each group of equal values. For doubled ranks the sum
  // is four times as large.
  const spread = (all * (all * all - 1) - tieSum) / 3
  if (spread === 0) return { h: 0, df, p: 1 }
  const h = ((all - 1) * fsum(between)) / spread
  return { h, df, p: chiSquareSf(h, df) }
}
