/**
 * Kruskal-Wallis: do three or more independent samples, tiers say, tend to the same values? The
 * rank form of the one-way analysis of variance, with the tie correction. H is referred to
 * chi-square, which is fair from about five values per group; two groups are better served by
 * mannWhitneyU, pass/fail by homogeneityTest.
 *
 * Source: Kruskal and Wallis 1952.
 */
import { checkLength, checkNumber } from '../../domain.ts'
import { fsum } from '../../fsum.ts'
import { chiSquareSf } from '../../special/chi-square.ts'
import { midranks } from './midranks.ts'

export interface KruskalWallis {
  /** 0 where all values are equal: then no grouping of them is more surprising than another. */
  readonly h: number
  readonly df: number
  readonly p: number
}

/**
 * p-value of "all groups come from one distribution", by chi-square with one degree of freedom
 * fewer than groups. Where all values are equal h is 0 and p is 1.
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
  // The mean of the doubled ranks is N + 1 whatever the ties, so deviations are taken from there:
  // the textbook form subtracts two large numbers instead.
  const between: number[] = []
  let start = 0
  for (const { length } of groups) {
    const ranks = doubled.slice(start, start + length)
    const deviation = ranks.reduce((total, rank) => total + (rank - (all + 1)), 0)
    between.push((deviation * deviation) / length)
    start += length
  }
  // Σ (rank − mean)² = (N³ − N − Σ(t³ − t)) / 12, four times that for doubled ranks.
  const spread = (all * (all * all - 1) - tieSum) / 3
  if (spread === 0) return { h: 0, df, p: 1 }
  const h = ((all - 1) * fsum(between)) / spread
  return { h, df, p: chiSquareSf(h, df) }
}
