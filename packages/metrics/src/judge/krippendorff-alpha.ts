/**
 * Krippendorff's alpha: how far do judges agree beyond chance? 1 is perfect agreement, 0 what
 * values dealt out at random would show, below 0 systematic disagreement. Any number of judges,
 * missing ratings, and four kinds of scale, which differ only in how far apart two values are:
 *
 *   nominal   0 or 1         different is different
 *   ordinal   (ranks)²       how many ratings lie between the two
 *   interval  (a − b)²
 *   ratio     ((a − b)/(a + b))²
 *
 * alpha = 1 − (distance of values within items)/(distance of all values), each a mean over pairs,
 * an item of m ratings counting for m. Items with fewer than two ratings say nothing and drop out.
 *
 * The definition is a sum over a coincidence matrix. Here the sums are taken in closed form:
 * pairwise squares of numbers are twice their count times the squares about their mean, and the
 * ordinal distance is the squared difference of mid-ranks among the pairable ratings. That is
 * linear in the ratings, so items can be resampled thousands of times. Only the ratio scale needs
 * its pairs.
 *
 * Source: Krippendorff 2011, Computing Krippendorff's Alpha-Reliability.
 */
import { checkLength, checkNumber, checkSameLength } from '../domain.ts'
import { Sum } from '../fsum.ts'
import { bootstrap, type BootstrapEstimate, type BootstrapOptions } from '../resample/bootstrap.ts'

export type AlphaScale = 'nominal' | 'ordinal' | 'interval' | 'ratio'

/** `ratings[judge][item]`, null where the judge did not rate the item. */
export type Ratings = readonly (readonly (number | null)[])[]

/** How often a value occurs, by its position among all values. */
interface Tally {
  readonly value: number
  readonly count: number
}

/** Items that hold the same ratings, whoever gave them: alpha does not ask who. */
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
 * The distinct values in order, and the items as tallies of positions among them, equal items as
 * one kind.
 */
function kindsOf(ratings: Ratings, items: number): { values: number[]; kinds: ItemKind[] } {
  const values = [...new Set(ratings.flat().filter((x) => x !== null))].sort((a, b) => a - b)
  const position = new Map(values.map((value, i) => [value, i]))
  const kinds = new Map<string, ItemKind>()
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
  }
  // Sorted by their ratings, so that the order of the items does not change a resample.
  const sorted = Array.from(kinds).sort(([a], [b]) => (a < b ? -1 : 1))
  return { values, kinds: sorted.map(([, kind]) => kind) }
}

/**
 * Σ of distances over all ordered pairs of the tallied values, `at` giving each value its place.
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

/** The mid-rank of each value among the tallied ones. */
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
 * Alpha of the item kinds, each weighing `weights[i]` items; null without pairs or without
 * variation.
 */
function weightedAlpha(
  values: readonly number[],
  kinds: readonly ItemKind[],
  weights: ArrayLike<number>,
  scale: AlphaScale,
): number | null {
  const counts = new Float64Array(values.length)
  for (const [i, { size, tallies }] of kinds.entries())
    if (size > 1)
      for (const { value, count } of tallies)
        counts[value] = (counts[value] as number) + (weights[i] as number) * count
  const all = Array.from(counts, (count, value) => ({ value, count })).filter((t) => t.count > 0)
  if (all.length < 2) return null
  const at = scale === 'ordinal' ? midRanks(values.length, all) : values
  const pairSum = PAIR_SUMS[scale]
  if (pairSum === undefined)
    throw new RangeError(`scale must be one of ${Object.keys(PAIR_SUMS).join(', ')}, got ${scale}`)
  const within = new Sum()
  for (const [i, { size, tallies }] of kinds.entries())
    if (size > 1) within.add(((weights[i] as number) * pairSum(tallies, at)) / (size - 1))
  return 1 - ((sizeOf(all) - 1) * within.value) / pairSum(all, at)
}

/**
 * Krippendorff's alpha of `ratings[judge][item]`. Null where it is undefined: no item has two
 * ratings, or all pairable ratings are the same, so that there is nothing to agree about.
 *
 * @example krippendorffAlpha([[1, 2, 3], [1, 2, 3]], 'nominal') // 1
 */
export function krippendorffAlpha(ratings: Ratings, scale: AlphaScale): number | null {
  const items = checkRatings(ratings, scale)
  const { values, kinds } = kindsOf(ratings, items)
  return weightedAlpha(
    values,
    kinds,
    kinds.map((kind) => kind.items),
    scale,
  )
}

/**
 * Krippendorff's alpha with its intervals over items like these, by resampling items. Resamples in
 * which all ratings are the same have no alpha; they count against both ends.
 *
 * @example
 * krippendorffAlphaEstimate([[1, 2, 3], [1, 2, 3]], 'nominal', { seed: 1 }).value // 1
 */
export function krippendorffAlphaEstimate(
  ratings: Ratings,
  scale: AlphaScale,
  options: BootstrapOptions,
): BootstrapEstimate {
  const items = checkRatings(ratings, scale)
  const { values, kinds } = kindsOf(ratings, items)
  const rows = {
    cases: items,
    multiplicity: Float64Array.from(kinds, (kind) => kind.items),
    columns: [],
  }
  const [estimate] = bootstrap(
    rows,
    (weights) => [weightedAlpha(values, kinds, weights, scale)],
    options,
  )
  return estimate as BootstrapEstimate
}
