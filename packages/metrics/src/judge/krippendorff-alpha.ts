/**
 * Krippendorff's alpha: how much more do judges agree than by chance? 1 is perfect agreement, 0 is
 * the agreement of randomly assigned values, and below 0 is systematic disagreement. There can be any
 * number of judges and missing ratings. The four scales differ only in the distance of two values a
 * and b:
 *
 *   nominal   0 or 1         0 if the values are equal, 1 if they differ
 *   ordinal   (ranks)²       the squared difference of the ranks of a and b
 *   interval  (a − b)²
 *   ratio     ((a − b)/(a + b))²
 *
 * alpha = 1 − (mean distance of two ratings of the same item)/(mean distance of any two ratings). An
 * item with m ratings has the weight m. Items with fewer than two ratings are left out.
 *
 * The definition is a sum over pairs of ratings. This file uses faster formulas whose cost is linear
 * in the number of ratings, so items can be resampled thousands of times. The sum of squared
 * differences over all ordered pairs of n numbers is 2n times the sum of the squared deviations from
 * their mean. The ordinal distance is the squared difference of mid-ranks among the ratings of items
 * with at least two ratings. Only the ratio scale needs a sum over pairs.
 *
 * Source: Krippendorff 2011, Computing Krippendorff's Alpha-Reliability.
 */
import { checkGroup, checkLength, checkNumber, checkSameLength } from '../domain.ts'
import { Sum } from '../fsum.ts'
import { isGrouped } from '../interval/grouped-interval.ts'
import { sumsByGroup } from '../interval/clustered-se.ts'
import { DEFAULT_LEVEL, type Interval, type IntervalMethod } from '../metric.ts'
import { tQuantile } from '../special/student-t.ts'
import { bootstrap, type BootstrapEstimate, type BootstrapOptions } from '../resample/bootstrap.ts'

export type AlphaScale = 'nominal' | 'ordinal' | 'interval' | 'ratio'

/**
 * The ratings, indexed as `ratings[judge][item]`. A rating is null if the judge did not rate the
 * item.
 */
export type Ratings = readonly (readonly (number | null)[])[]

/**
 * How often a value occurs. `value` is the index of the value in the sorted list of all distinct
 * values.
 */
interface Tally {
  readonly value: number
  readonly count: number
}

/**
 * A kind of items: all items with the same ratings. Such items are counted together, because alpha
 * does not depend on which judge gave which rating.
 */
interface ItemKind {
  readonly size: number
  readonly tallies: readonly Tally[]
  readonly items: number
}

function checkRatings(ratings: Ratings, scale: AlphaScale): number {
  checkLength('ratings', ratings, 2)
  const [first] = ratings as readonly [Ratings[number], ...Ratings]
  checkLength('ratings[0]', first)
  for (const [judge, row] of ratings.entries()) {
    checkSameLength('ratings[0]', first, `ratings[${judge}]`, row)
    for (const value of row)
      if (value !== null) checkNumber(`ratings[${judge}]`, value, scale === 'ratio' ? 0 : -Infinity)
  }
  return first.length
}

/**
 * Returns the distinct values in ascending order, the kinds of items, and for each item the index
 * of its kind.
 */
function kindsOf(
  ratings: Ratings,
  items: number,
): { values: number[]; kinds: ItemKind[]; kindOf: Int32Array } {
  const values = [...new Set(ratings.flat().filter((x) => x !== null))].sort((a, b) => a - b)
  const position = new Map(values.map((value, i) => [value, i]))
  const kinds = new Map<string, ItemKind>()
  const keys: string[] = []
  for (let item = 0; item < items; item++) {
    const counts = new Map<number, number>()
    for (const row of ratings) {
      const at = position.get(row[item] ?? Number.NaN)
      if (at !== undefined) counts.set(at, (counts.get(at) ?? 0) + 1)
    }
    const tallies = Array.from(counts, ([value, count]) => ({ value, count })).sort(
      (a, b) => a.value - b.value,
    )
    const key = tallies.map(({ value, count }) => `${value}x${count}`).join()
    const size = tallies.reduce((sum, { count }) => sum + count, 0)
    kinds.set(key, { size, tallies, items: (kinds.get(key)?.items ?? 0) + 1 })
    keys.push(key)
  }
  // The kinds are sorted by their ratings, so that the order of the items does not change a resample.
  const sorted = Array.from(kinds).sort(([a], [b]) => (a < b ? -1 : 1))
  const place = new Map(sorted.map(([key], i) => [key, i]))
  const kindOf = Int32Array.from(keys, (key) => place.get(key) ?? 0)
  return { values, kinds: sorted.map(([, kind]) => kind), kindOf }
}

/**
 * A function that returns the sum of distances over all ordered pairs of ratings. `at[value]` is
 * the number that represents a value: the value itself or its mid-rank.
 */
type PairSum = (tallies: readonly Tally[], at: ArrayLike<number>) => number

const sizeOf = (tallies: readonly Tally[]): number => tallies.reduce((n, t) => n + t.count, 0)

const differentPairs: PairSum = (tallies) => {
  const size = sizeOf(tallies)
  return tallies.reduce((sum, { count }) => sum + count * (size - count), 0)
}

const squaredDifferences: PairSum = (tallies, at) => {
  const size = sizeOf(tallies)
  const total = new Sum()
  for (const { value, count } of tallies) total.add(count * (at[value] as number))
  const mean = total.value / size
  const squares = new Sum()
  for (const { value, count } of tallies) squares.add(count * ((at[value] as number) - mean) ** 2)
  return 2 * size * squares.value
}

const relativeDifferences: PairSum = (tallies, at) => {
  const sum = new Sum()
  for (const [i, a] of tallies.entries())
    for (const b of tallies.slice(0, i)) {
      const [x, y] = [at[a.value] as number, at[b.value] as number]
      sum.add(2 * a.count * b.count * ((x - y) / (x + y)) ** 2)
    }
  return sum.value
}

const PAIR_SUMS: Record<AlphaScale, PairSum> = {
  nominal: differentPairs,
  ordinal: squaredDifferences,
  interval: squaredDifferences,
  ratio: relativeDifferences,
}

/**
 * Returns the mid-rank of each value among the counted ratings: the mean of the positions of equal
 * ratings in sorted order.
 */
function midRanks(values: number, tallies: readonly Tally[]): Float64Array {
  const ranks = new Float64Array(values)
  let below = 0
  for (const { value, count } of tallies) {
    ranks[value] = below + (count + 1) / 2
    below += count
  }
  return ranks
}

/**
 * A function that computes alpha from the number of items of each kind. The result is null if alpha
 * is undefined.
 */
type WeightedAlpha = (weights: ArrayLike<number>) => number | null

/**
 * Returns the function that computes alpha from weights. Its result is null if there are no pairs
 * of ratings or all ratings are equal.
 */
function alphaOf(
  values: readonly number[],
  kinds: readonly ItemKind[],
  scale: AlphaScale,
): WeightedAlpha {
  const pairSum = PAIR_SUMS[scale]
  if (pairSum === undefined)
    throw new RangeError(`scale must be one of ${Object.keys(PAIR_SUMS).join(', ')}, got ${scale}`)
  const withinAt = (at: ArrayLike<number>): Float64Array =>
    Float64Array.from(kinds, ({ size, tallies }) =>
      size > 1 ? pairSum(tallies, at) / (size - 1) : 0,
    )
  // On the ordinal scale, ranks depend on which items were drawn. For the other scales, the sums
  // within items are always the same and are computed only once.
  const fixed = scale === 'ordinal' ? null : withinAt(values)
  return (weights) => {
    const counts = new Float64Array(values.length)
    for (const [i, { size, tallies }] of kinds.entries())
      if (size > 1)
        for (const { value, count } of tallies)
          counts[value] = (counts[value] as number) + (weights[i] as number) * count
    const all = Array.from(counts, (count, value) => ({ value, count })).filter((t) => t.count > 0)
    if (all.length < 2) return null
    const at = scale === 'ordinal' ? midRanks(values.length, all) : values
    const within = new Sum()
    for (const [i, sum] of (fixed ?? withinAt(at)).entries())
      within.add((weights[i] as number) * sum)
    return 1 - ((sizeOf(all) - 1) * within.value) / pairSum(all, at)
  }
}

/**
 * Returns Krippendorff's alpha of `ratings[judge][item]`. Alpha is undefined, and the result null,
 * if no item has two ratings or if all ratings of such items have the same value.
 *
 * @example krippendorffAlpha([[1, 2, 3], [1, 2, 3]], 'nominal') // 1
 */
export function krippendorffAlpha(ratings: Ratings, scale: AlphaScale): number | null {
  const items = checkRatings(ratings, scale)
  const { values, kinds } = kindsOf(ratings, items)
  return alphaOf(values, kinds, scale)(kinds.map((kind) => kind.items))
}

/** How often each kind of item occurs in one group of items. */
type GroupCounts = readonly { readonly kind: number; readonly items: number }[]

/**
 * Returns the distinct groups and how often each occurs. Groups with the same kinds of items are
 * one row of the bootstrap.
 */
function groupRows(
  kindOf: Int32Array,
  groups: readonly (string | number)[],
): { rows: readonly GroupCounts[]; multiplicity: Float64Array } {
  const byGroup = new Map<string | number, Map<number, number>>()
  for (const [item, kind] of kindOf.entries()) {
    const name = groups[item] as string | number
    const counts = byGroup.get(name) ?? new Map<number, number>()
    byGroup.set(name, counts.set(kind, (counts.get(kind) ?? 0) + 1))
  }
  const distinct = new Map<string, { counts: GroupCounts; groups: number }>()
  for (const counts of byGroup.values()) {
    const row = Array.from(counts, ([kind, items]) => ({ kind, items })).sort(
      (a, b) => a.kind - b.kind,
    )
    const key = row.map(({ kind, items }) => `${kind}x${items}`).join()
    distinct.set(key, { counts: row, groups: (distinct.get(key)?.groups ?? 0) + 1 })
  }
  // The rows are sorted by their content, so that the order of the items does not change a resample.
  const sorted = Array.from(distinct).sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    rows: sorted.map(([, { counts }]) => counts),
    multiplicity: Float64Array.from(sorted, ([, one]) => one.groups),
  }
}

export interface AlphaOptions extends BootstrapOptions {
  /**
   * `groups[item]` names the group of the item, for example the case that a rated trial belongs to.
   * If it is given, groups are resampled instead of items. This matters, because ratings of one
   * case are similar to each other: intervals from resampling single items contained the true alpha
   * only 45 to 77 % of the time.
   */
  readonly groups?: readonly (string | number)[]
}

/** The bootstrap of alpha, and the interval that reports show. */
export interface AlphaEstimate extends BootstrapEstimate {
  readonly interval: Interval | null
}

/**
 * Returns Krippendorff's alpha with intervals for items like these. The intervals come from
 * resamples of the items or of their groups. A resample in which all ratings are equal has no
 * alpha. Such resamples widen the percentile interval at both ends.
 *
 * @example
 * krippendorffAlphaEstimate([[1, 2, 3], [1, 2, 3]], 'nominal', { seed: 1 }).value // 1
 */
export function krippendorffAlphaEstimate(
  ratings: Ratings,
  scale: AlphaScale,
  { groups, ...options }: AlphaOptions,
): AlphaEstimate {
  const items = checkRatings(ratings, scale)
  const { values, kinds, kindOf } = kindsOf(ratings, items)
  if (groups) {
    checkSameLength('groups', groups, 'ratings[0]', kindOf)
    for (const group of groups) checkGroup(group)
  }
  const { rows, multiplicity } = groupRows(kindOf, groups ?? Array.from(kindOf, (_, i) => i))
  const alpha = alphaOf(values, kinds, scale)
  const weights = new Float64Array(kinds.length)
  const cases = multiplicity.reduce((sum, count) => sum + count, 0)
  const [estimate] = bootstrap(
    { cases, multiplicity, columns: [] },
    (drawn) => {
      weights.fill(0)
      for (const [i, row] of rows.entries())
        for (const { kind, items: count } of row)
          weights[kind] = (weights[kind] as number) + (drawn[i] as number) * count
      return [alpha(weights)]
    },
    options,
  )
  const found = estimate as BootstrapEstimate
  const shown = hull(found, groups ?? Array.from(kindOf, (_, i) => i), options.level)
  if (!isGrouped(groups)) return { ...found, interval: shown }
  const named = (interval: Interval | null, method: IntervalMethod): Interval | null =>
    interval === null ? null : { ...interval, method }
  return {
    ...found,
    percentile: named(found.percentile, 'percentile bootstrap over groups'),
    bca: named(found.bca, 'BCa bootstrap over groups'),
    interval: shown,
  }
}

/**
 * Returns the smallest interval that contains the bootstrap interval and the t interval with the
 * bootstrap's standard error. Resamples of few cases vary less than new cases would: the BCa
 * interval alone contained the true alpha 79 to 88 % of the time with 10 and 20 cases (120
 * repetitions). docs/design/coverage.md has the figures of the combined interval.
 */
function hull(
  { value, standardError, bca, percentile }: BootstrapEstimate,
  groups: readonly (string | number)[],
  level: number = DEFAULT_LEVEL,
): Interval | null {
  const resampled = bca ?? percentile
  const count = new Set(groups).size
  if (value === null || standardError === null || resampled === null || count < 2) return resampled
  const sizes = sumsByGroup(
    groups.map(() => 1),
    groups,
  )
  const df = groups.length ** 2 / sizes.reduce((sum, size) => sum + size * size, 0) - 1
  const reach = -tQuantile((1 - level) / 2, df) * standardError * Math.sqrt(count / (count - 1))
  return {
    ...resampled,
    low: Math.min(resampled.low, value - reach),
    high: Math.max(resampled.high, Math.min(1, value + reach)),
    method: 'hull of bootstrap and t with bootstrap error',
  }
}
