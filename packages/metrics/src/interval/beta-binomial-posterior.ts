/**
 * Model-based estimates of a suite: what a beta-binomial model of difficulty makes of it. Narrower than
 * the default intervals and defined for k above n, at the price of the model: where the mix of
 * difficulties is not beta-shaped (two kinds of cases and nothing between), its pass@k interval covers
 * 29 to 87 %, worse with more data. So it is offered under its name, with a check of the model beside it,
 * and is never the default.
 *
 * The check compares how many cases had each number of passes with what the fitted model predicts; its p
 * is the smallest two-sided p-value times their number (Bonferroni), each averaged over the posterior.
 */
import { checkBetween, checkInteger, checkLength } from '../domain.ts'
import { fsum } from '../fsum.ts'
import { type CaseCounts, DEFAULT_LEVEL, type Metric } from '../metric.ts'
import { incompleteBeta, incompleteBetaUpper } from '../special/incomplete-beta.ts'
import { betaBinomialLogPmf, betaPassAtK, betaPassHatK } from './beta-binomial.ts'
import { betaGrid, type GridPoint } from './beta-grid.ts'
import { caseHistogram, type CountedCase } from './case-histogram.ts'

/** Cases with n trials and from `from` to `to` passes: how many there are, and how many were to expect. */
export interface PredictedCount {
  readonly n: number
  readonly from: number
  readonly to: number
  readonly observed: number
  readonly expected: number
  /** Two-sided chance of a count this far out under the fitted model. */
  readonly p: number
}

export interface BetaBinomialPosterior {
  readonly passRate: Metric
  /** One for each of the given ks, in their order. */
  readonly passAtK: readonly Metric[]
  readonly passHatK: readonly Metric[]
  /** Correlation of two trials of one case: 0 when all cases are alike, 1 when each always does the same. */
  readonly correlation: Metric
  /** Pass rate of a case with these counts, drawn towards the suite's. */
  readonly cases: readonly (CountedCase & { readonly passRate: number })[]
  readonly check: {
    readonly counts: readonly PredictedCount[]
    /** Small where the model does not fit; null where no number of trials is shared by enough cases. */
    readonly p: number | null
  }
}

const METHOD = 'beta-binomial posterior (model-based)'

/** Fewer cases than this with the same n cannot contradict a histogram. */
const CASES_TO_CHECK = 5
/** Counts beyond this many passes are gathered into as many bins. */
const BINS = 21

/** Posterior mean and equal-tailed interval of a quantity that the parameters determine. */
function posteriorMetric(
  grid: readonly GridPoint[],
  quantity: (a: number, b: number) => number,
  n: number,
  level: number,
): Metric {
  const points = grid
    .map(({ a, b, weight }) => ({ value: quantity(a, b), weight }))
    .sort((x, y) => x.value - y.value)
  const quantile = (p: number): number => {
    let below = 0
    let previous = points[0] as { value: number }
    let previousMiddle = 0
    for (const point of points) {
      // The weight of a point is spread evenly around it; between two points the quantile moves evenly.
      const centre = below + point.weight / 2
      if (centre >= p) {
        const share = previousMiddle === 0 ? 1 : (p - previousMiddle) / (centre - previousMiddle)
        return previous.value + share * (point.value - previous.value)
      }
      below += point.weight
      previous = point
      previousMiddle = centre
    }
    return previous.value
  }
  const interval = {
    low: quantile((1 - level) / 2),
    high: quantile((1 + level) / 2),
    level,
    method: METHOD,
    target: 'population',
  } as const
  return { value: fsum(points.map(({ value, weight }) => value * weight)), n, interval }
}

/** The counts 0 … n in at most BINS stretches. */
function binsOf(n: number): readonly { readonly from: number; readonly to: number }[] {
  const bins = Math.min(BINS, n + 1)
  return Array.from({ length: bins }, (_, i) => ({
    from: Math.floor((i * (n + 1)) / bins),
    to: Math.floor(((i + 1) * (n + 1)) / bins) - 1,
  }))
}

/** Observed and predicted numbers of cases by passes, for the cases with n trials. */
function predictedCounts(
  grid: readonly GridPoint[],
  n: number,
  rows: readonly CountedCase[],
): readonly PredictedCount[] {
  const cases = rows.reduce((sum, row) => sum + row.cases, 0)
  const bins = binsOf(n).map(({ from, to }) => ({
    from,
    to,
    observed: rows.reduce((sum, { c, cases: m }) => sum + (c >= from && c <= to ? m : 0), 0),
    expected: 0,
    above: 0,
    below: 0,
  }))
  for (const { a, b, weight } of grid)
    for (const bin of bins) {
      let chance = 0
      for (let c = bin.from; c <= bin.to; c++) chance += Math.exp(betaBinomialLogPmf(n, c, a, b))
      const share = Math.min(1, chance)
      bin.expected += weight * cases * share
      // P(X ≥ observed) and P(X ≤ observed) for X binomial over the cases.
      bin.above +=
        weight *
        (bin.observed === 0 ? 1 : incompleteBeta(share, bin.observed, cases - bin.observed + 1))
      bin.below +=
        weight *
        (bin.observed === cases
          ? 1
          : incompleteBetaUpper(share, bin.observed + 1, cases - bin.observed))
    }
  return bins.map(({ from, to, observed, expected, above, below }) => ({
    n,
    from,
    to,
    observed,
    expected,
    p: Math.min(1, 2 * above, 2 * below),
  }))
}

/** Points that weigh less than this each add nothing to a p-value that anyone would act on. */
const LEAST_WEIGHT = 1e-6

function checkOfModel(
  points: readonly GridPoint[],
  rows: readonly CountedCase[],
): BetaBinomialPosterior['check'] {
  const grid = points.filter(({ weight }) => weight > LEAST_WEIGHT)
  const counts: PredictedCount[] = []
  for (const n of new Set(rows.map((row) => row.n))) {
    const group = rows.filter((row) => row.n === n)
    const cases = group.reduce((sum, row) => sum + row.cases, 0)
    if (cases >= CASES_TO_CHECK) counts.push(...predictedCounts(grid, n, group))
  }
  if (counts.length === 0) return { counts, p: null }
  const smallest = counts.reduce((least, { p }) => Math.min(least, p), 1)
  return { counts, p: Math.min(1, smallest * counts.length) }
}

/**
 * Pass rate, pass@k and pass^k of cases like these under the beta-binomial model, for every k ≥ 1 asked,
 * also above the number of trials; the pass rate of each kind of case, drawn towards the suite's; and the
 * check of the model.
 *
 * @example betaBinomialPosterior([{ n: 5, c: 4 }, { n: 5, c: 1 }], [20]).passAtK[0]?.n // 2
 */
export function betaBinomialPosterior(
  cases: readonly CaseCounts[],
  ks: readonly number[],
  level: number = DEFAULT_LEVEL,
): BetaBinomialPosterior {
  checkLength('cases', cases)
  for (const { n } of cases) checkInteger('n', n, 1)
  for (const k of ks) checkInteger('k', k, 1)
  checkBetween('level', level, 0, 1)
  const rows = caseHistogram(cases)
  const grid = betaGrid(rows)
  const metric = (quantity: (a: number, b: number) => number): Metric =>
    posteriorMetric(grid, quantity, cases.length, level)
  return {
    passRate: metric((a, b) => a / (a + b)),
    passAtK: ks.map((k) => metric((a, b) => betaPassAtK(a, b, k))),
    passHatK: ks.map((k) => metric((a, b) => betaPassHatK(a, b, k))),
    correlation: metric((a, b) => 1 / (a + b + 1)),
    cases: rows.map((row) => ({
      ...row,
      passRate: fsum(grid.map(({ a, b, weight }) => (weight * (a + row.c)) / (a + b + row.n))),
    })),
    check: checkOfModel(grid, rows),
  }
}
