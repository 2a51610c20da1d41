/**
 * The posterior of the beta-binomial model on a grid. The two parameters are the mean pass rate mu
 * and the correlation rho of two trials of one case. Both are in (0, 1) and have a uniform prior.
 * They determine the parameters of the beta distribution of pass rates: a = mu(1/rho − 1) and b =
 * (1 − mu)(1/rho − 1). The likelihood is computed from the number of cases with each pair (n, c) of
 * trials and passes.
 *
 * With ten thousand cases, the posterior is only a hundredth as wide as the unit square, and a fixed
 * grid could miss it. So the grid zooms in on the posterior until the posterior fills enough of the
 * grid.
 */
import { logGammaRatio } from '../special/log-gamma.ts'
import type { CountedCase } from './case-histogram.ts'

export interface GridPoint {
  readonly a: number
  readonly b: number
  /** Posterior probability of the cell. The weights of all points add up to 1. */
  readonly weight: number
}

const CELLS = 96
/**
 * Cells whose likelihood is below e^−20 of the highest are left out. They would not change any
 * reported digit.
 */
const NEGLIGIBLE = 20
/** The grid zooms in until the posterior spans at least this share of the grid in both parameters. */
const FILLED = 0.3
const GOLDEN_RATIO = 0.6180339887498949

const ascending = (values: readonly number[]): readonly number[] =>
  [...new Set(values)].sort((x, y) => x - y)

/** Returns the distinct counts in ascending order, each with the number of cases that have it. */
function tally(rows: readonly CountedCase[], count: (row: CountedCase) => number) {
  const cases = new Map<number, number>()
  for (const row of rows) cases.set(count(row), (cases.get(count(row)) ?? 0) + row.cases)
  return [...cases].sort(([x], [y]) => x - y)
}

/**
 * Returns the sum of cases · ln(Γ(base + count)/Γ(base)) over the counts, where Γ is the gamma
 * function. The log-likelihood consists of such sums.
 */
function risingLog(
  base: number,
  counts: readonly (readonly [count: number, cases: number])[],
): number {
  let total = 0
  let log = 0
  let done = 0
  for (const [count, cases] of counts) {
    // If the count grows by one, one factor is added by its logarithm. If it grows by more, all
    // factors are added at once by a ratio of gamma functions.
    if (count - done === 1) log += Math.log(base + done)
    else if (count > done) log -= logGammaRatio(base + done, count - done)
    done = count
    total += cases * log
  }
  return total
}

interface Box {
  readonly from: number
  readonly to: number
}

/**
 * Returns one coordinate of the point that stands for cell i. Each point is shifted inside its cell, by an amount that
 * depends on `across`, the index of the cell in the other coordinate. Without the shift, all points of a row would have
 * the same coordinate, and its quantiles could take only as many values as there are rows.
 */
const pointIn = ({ from, to }: Box, i: number, across: number): number =>
  from + ((to - from) * (i + (((across + 0.5) * GOLDEN_RATIO) % 1))) / CELLS

/**
 * Returns the part of the box from cell `least` to cell `most`, with a margin of two cells at each
 * end.
 */
function narrowed({ from, to }: Box, least: number, most: number): Box {
  const cell = (to - from) / CELLS
  return {
    from: Math.max(from, from + (least - 2) * cell),
    to: Math.min(to, from + (most + 3) * cell),
  }
}

/** Returns the posterior of the parameters a and b, given the cases of a suite, as weighted points. */
export function betaGrid(rows: readonly CountedCase[]): readonly GridPoint[] {
  const passes = tally(rows, ({ c }) => c)
  const failures = tally(rows, ({ n, c }) => n - c)
  const trials = tally(rows, ({ n }) => n)
  let mus: Box = { from: 0, to: 1 }
  let rhos: Box = { from: 0, to: 1 }
  for (;;) {
    const cells: { i: number; j: number; a: number; b: number; log: number }[] = []
    let highest = -Infinity
    for (let i = 0; i < CELLS; i++)
      for (let j = 0; j < CELLS; j++) {
        const mu = pointIn(mus, i, j)
        const size = 1 / pointIn(rhos, j, i) - 1
        const a = mu * size
        const b = (1 - mu) * size
        const log = risingLog(a, passes) + risingLog(b, failures) - risingLog(size, trials)
        highest = Math.max(highest, log)
        cells.push({ i, j, a, b, log })
      }
    const kept = cells.filter(({ log }) => log > highest - NEGLIGIBLE)
    const is = ascending(kept.map(({ i }) => i))
    const js = ascending(kept.map(({ j }) => j))
    const spans = [is, js].map((list) => (list.at(-1) as number) - (list[0] as number) + 1)
    if (Math.min(...spans) >= FILLED * CELLS) {
      const weights = kept.map(({ log }) => Math.exp(log - highest))
      const total = weights.reduce((sum, weight) => sum + weight, 0)
      return kept.map(({ a, b }, index) => ({ a, b, weight: (weights[index] as number) / total }))
    }
    mus = narrowed(mus, is[0] as number, is.at(-1) as number)
    rhos = narrowed(rhos, js[0] as number, js.at(-1) as number)
  }
}
