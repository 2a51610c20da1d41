/**
 * The case bootstrap: how much would a figure vary over other cases like these? Each resample draws
 * cases with replacement and evaluates the statistic. It is stored as a count per distinct row,
 * because cases with equal numbers share a row (distinct-rows.ts). The variation of these values
 * gives the standard error and the intervals.
 *
 * Resamples are computed in blocks, each with its own random stream (seed, block). A block depends
 * only on the rows, the statistic, the seed and the block number. So any number of workers can
 * compute the blocks in any order. With the same seed and rows, every statistic gets the same
 * resamples.
 *
 * For means and pass rates, prefer the formulas in `interval/`, which also give an interval if all
 * cases have the same value. The bootstrap is for ratios, ranks, frontiers and medians, which have
 * no such formula.
 */
import { checkInteger, checkLength, checkLevel } from '../domain.ts'
import { fsum } from '../fsum.ts'
import { type Bounds, DEFAULT_LEVEL, type Interval, type IntervalMethod } from '../metric.ts'
import {
  acceleration,
  bcaBounds,
  type BoundsOrReason,
  isDegenerate,
  percentileBounds,
  type Replicates,
} from './bootstrap-interval.ts'
import type { DistinctRows } from './distinct-rows.ts'
import { randomState } from './random.ts'
import { forEachResample } from './resample-weights.ts'
import { leaveOneOut, type Statistic } from './statistic.ts'

/**
 * Blocks are large enough that giving one to a worker is worth the overhead, and small enough that
 * the workers finish at about the same time.
 */
const RESAMPLES_PER_BLOCK = 256

/**
 * The default number of resamples. (9999 + 1) · 0.025 is an integer, so the ends of a 95 % interval
 * are almost exactly two of the sorted resampled values and need little interpolation.
 */
export const DEFAULT_RESAMPLES = 9999

export interface BootstrapOptions {
  readonly seed: number
  readonly resamples?: number
  readonly level?: number
}

/** One of the numbers that the statistic returns, and its variation over resamples of the cases. */
export interface BootstrapEstimate {
  /** The statistic of the original cases; null if it is undefined or infinite. */
  readonly value: number | null
  readonly infinite?: true
  /** Standard deviation over the resamples; null if a resample is not finite or all are equal. */
  readonly standardError: number | null
  /**
   * The interval is null if it cannot be computed; `reason` says why. An end can be infinite if
   * resamples are infinite.
   */
  readonly percentile: Interval | null
  readonly bca: Interval | null
  readonly resamples: number
  /**
   * The number of resamples whose value is infinite. In the sorted list they are the largest or the
   * smallest values.
   */
  readonly infiniteResamples: number
  /** The number of resamples without a value. They widen the interval at both ends. */
  readonly undefinedResamples: number
  /** Whether all resamples have the same value. The spread is then unknown, not zero. */
  readonly degenerate: boolean
  /** Why an interval is missing. */
  readonly reason?: string
}

function checkRows({ cases, multiplicity, columns }: DistinctRows): void {
  checkLength('rows', multiplicity)
  for (const count of multiplicity) checkInteger('rows.multiplicity', count, 1)
  checkInteger('rows.cases', cases, fsum(multiplicity), fsum(multiplicity))
  for (const column of columns)
    checkInteger('the length of a column', column.length, multiplicity.length, multiplicity.length)
}

/**
 * Returns the number of blocks of a bootstrap with this many resamples. The blocks are numbered
 * from 0.
 */
export function bootstrapBlocks(resamples: number = DEFAULT_RESAMPLES): number {
  checkInteger('resamples', resamples, 1)
  return Math.ceil(resamples / RESAMPLES_PER_BLOCK)
}

/**
 * Returns the values of one block of resamples, one resample after the other. A value is NaN if the
 * statistic has no value. Workers use this function to compute blocks in parallel.
 * `bootstrapSummary` of all blocks in order gives the same result as `bootstrap`.
 *
 * @example bootstrapBlock(rows, statistic, { seed: 1 }, 3)
 */
export function bootstrapBlock(
  rows: DistinctRows,
  statistic: Statistic,
  options: BootstrapOptions,
  block: number,
): Float64Array {
  checkRows(rows)
  const { seed, resamples = DEFAULT_RESAMPLES } = options
  checkInteger('block', block, 0, bootstrapBlocks(resamples) - 1)
  const count = Math.min(RESAMPLES_PER_BLOCK, resamples - block * RESAMPLES_PER_BLOCK)
  let values = new Float64Array(0)
  forEachResample(rows, randomState(seed, block), count, (weights, resample) => {
    const answers = statistic(weights, rows)
    if (resample === 0) values = new Float64Array(count * answers.length)
    for (const [j, answer] of answers.entries())
      values[resample * answers.length + j] = answer ?? Number.NaN
  })
  return values
}

/**
 * Returns the values of one number of the statistic from all blocks, sorted and without NaN. In
 * each block these are every `width`-th value, starting at `offset`.
 */
function replicatesOf(blocks: readonly Float64Array[], width: number, offset: number): Replicates {
  const values: number[] = []
  let missing = 0
  for (const block of blocks)
    for (let i = offset; i < block.length; i += width) {
      const value = block[i] as number
      if (Number.isNaN(value)) missing += 1
      else values.push(value)
    }
  return { sorted: Float64Array.from(values).sort(), undefined: missing }
}

/** Returns the sample standard deviation, computed from the deviations from the mean. */
function spread(values: Float64Array): number {
  const mean = fsum(values) / values.length
  return Math.sqrt(fsum(values.map((value) => (value - mean) ** 2)) / (values.length - 1))
}

function estimateOf(
  value: number | null,
  replicates: Replicates,
  leftOut: Float64Array | null,
  multiplicity: Float64Array,
  level: number,
): BootstrapEstimate {
  const { sorted, undefined: undefinedResamples } = replicates
  const infiniteResamples = sorted.filter((x) => !Number.isFinite(x)).length
  const resamples = sorted.length + undefinedResamples
  const degenerate = isDegenerate(replicates)
  const finite = value !== null && Number.isFinite(value)

  let percentile: BoundsOrReason
  let bca: BoundsOrReason
  if (!finite)
    percentile = bca = `the statistic is ${value === null ? 'undefined' : 'infinite'} on the cases`
  else if (degenerate)
    percentile = bca = 'all resamples agree: the spread between cases was not seen'
  else {
    percentile = percentileBounds(replicates, level)
    bca = bcaBounds(replicates, value, leftOut && acceleration(leftOut, multiplicity), level)
  }
  const reasons = new Set([percentile, bca].filter((bounds) => typeof bounds === 'string'))
  const interval = (bounds: BoundsOrReason, method: IntervalMethod): Interval | null =>
    typeof bounds === 'string'
      ? null
      : { ...(bounds satisfies Bounds), level, method, target: 'population' }

  return {
    value: finite ? value : null,
    ...(value !== null && !finite ? { infinite: true } : {}),
    standardError:
      infiniteResamples + undefinedResamples === 0 && !degenerate ? spread(sorted) : null,
    percentile: interval(percentile, 'percentile bootstrap over cases'),
    bca: interval(bca, 'BCa bootstrap over cases'),
    resamples,
    infiniteResamples,
    undefinedResamples,
    degenerate,
    ...(reasons.size > 0 ? { reason: [...reasons].join('; ') } : {}),
  }
}

/**
 * Returns the estimates, computed from the values of all blocks. The blocks must be in the order of
 * their numbers. Any worker may have computed them.
 *
 * @example bootstrapSummary(rows, statistic, { seed: 1 }, blocks)
 */
export function bootstrapSummary(
  rows: DistinctRows,
  statistic: Statistic,
  options: BootstrapOptions,
  blocks: readonly Float64Array[],
): readonly BootstrapEstimate[] {
  checkRows(rows)
  const { resamples = DEFAULT_RESAMPLES, level = DEFAULT_LEVEL } = options
  checkLevel(level)
  const values = statistic(rows.multiplicity, rows)
  const expected = resamples * values.length
  checkInteger(
    'the number of values in blocks',
    fsum(blocks.map((b) => b.length)),
    expected,
    expected,
  )
  // The BCa interval needs the statistic with each case left out. If there is only one case, it
  // cannot be left out.
  const leftOut = rows.cases > 1 ? leaveOneOut(rows, statistic) : null
  return values.map((value, j) =>
    estimateOf(
      value === null || Number.isNaN(value) ? null : value,
      replicatesOf(blocks, values.length, j),
      leftOut && Float64Array.from(leftOut, (answers) => answers[j] ?? Number.NaN),
      rows.multiplicity,
      level,
    ),
  )
}

/**
 * Computes how a statistic varies over cases like these. For each number that the statistic
 * returns, the result has its value, standard error, and percentile and BCa intervals from
 * `resamples` resamples of the cases.
 *
 * @example
 * const rows = distinctRows([[3, 1], [5, 1], [4, 0]]) // cost and passes of three cases
 * bootstrap(rows, ofSums((sum) => [sum(0) / sum(1)]), { seed: 1 })[0].value // 6
 */
export function bootstrap(
  rows: DistinctRows,
  statistic: Statistic,
  options: BootstrapOptions,
): readonly BootstrapEstimate[] {
  const blocks = Array.from({ length: bootstrapBlocks(options.resamples) }, (_, block) =>
    bootstrapBlock(rows, statistic, options, block),
  )
  return bootstrapSummary(rows, statistic, options, blocks)
}
