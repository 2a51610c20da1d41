/**
 * The case bootstrap: how much would a figure vary over other cases like these? Cases are drawn
 * with replacement as counts per distinct row, the statistic is evaluated for each resample, and
 * the spread of its values is read off.
 *
 * Resamples are made in blocks, each with its own random stream (seed, block). A block depends on
 * nothing but the rows, the statistic, the seed and its number, so blocks may be computed by any
 * number of workers in any order, and the same seed and rows give the same weights to every
 * statistic.
 *
 * For means and pass rates prefer the closed forms of `interval/`: they also know what to say when
 * all cases agree. This is for ratios, ranks, frontiers and medians, which have none.
 */
import { checkBetween, checkInteger, checkLength } from '../domain.ts'
import { fsum } from '../fsum.ts'
import { type Bounds, DEFAULT_LEVEL, type Interval } from '../metric.ts'
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
 * Enough that a worker is worth starting, few enough that the last block does not keep others
 * waiting.
 */
const RESAMPLES_PER_BLOCK = 256

/**
 * (9999 + 1) · 0.025 is a whole number, so that the ends of a 95 % interval are order statistics.
 */
export const DEFAULT_RESAMPLES = 9999

export interface BootstrapOptions {
  readonly seed: number
  readonly resamples?: number
  readonly level?: number
}

/** One answer of the statistic, with how it varies over resamples of the cases. */
export interface BootstrapEstimate {
  /** On the cases themselves; null where it has no value or an infinite one. */
  readonly value: number | null
  readonly infinite?: true
  /** Standard deviation over the resamples; null unless all are finite and they vary. */
  readonly standardError: number | null
  /** Null where the reason says why. An end may be Infinity when resamples are. */
  readonly percentile: Interval | null
  readonly bca: Interval | null
  readonly resamples: number
  /** Resamples in which the value was infinite: counted as such in the order of values. */
  readonly infiniteResamples: number
  /** Resamples in which it had no value: counted against both ends of the interval. */
  readonly undefinedResamples: number
  /**
   * All resamples agree: nothing was learnt about the spread, which is not the same as no spread.
   */
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

/** How many blocks a bootstrap of so many resamples has; they are numbered from 0. */
export function bootstrapBlocks(resamples: number = DEFAULT_RESAMPLES): number {
  checkInteger('resamples', resamples, 1)
  return Math.ceil(resamples / RESAMPLES_PER_BLOCK)
}

/**
 * The answers of one block of resamples, one resample after the other, NaN where the statistic had
 * none. For workers: `bootstrap` gives the same as `bootstrapSummary` over all blocks in their
 * order.
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

/** Every `width`-th value from `offset` of all blocks, sorted, without the NaNs. */
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

/** Sample standard deviation in two passes. */
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
  const interval = (bounds: BoundsOrReason, method: string): Interval | null =>
    typeof bounds === 'string'
      ? null
      : { ...(bounds satisfies Bounds), level, method, target: 'population' }

  return {
    value: finite ? value : null,
    ...(value !== null && !finite ? { infinite: true } : {}),
    standardError:
      infiniteResamples + undefinedResamples === 0 && !degenerate ? spread(sorted) : null,
    percentile: interval(percentile, 'case bootstrap, percentile'),
    bca: interval(bca, 'case bootstrap, BCa'),
    resamples,
    infiniteResamples,
    undefinedResamples,
    degenerate,
    ...(reasons.size > 0 ? { reason: [...reasons].join('; ') } : {}),
  }
}

/**
 * The estimates from all blocks, whoever computed them, in the order of their numbers.
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
  checkBetween('level', level, 0, 1)
  const values = statistic(rows.multiplicity, rows)
  const expected = resamples * values.length
  checkInteger(
    'the number of values in blocks',
    fsum(blocks.map((b) => b.length)),
    expected,
    expected,
  )
  // With a single case nothing can be left out.
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
 * How a statistic varies over cases like these: for each of its answers the value, standard error,
 * percentile and BCa intervals from `resamples` resamples of the cases.
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
