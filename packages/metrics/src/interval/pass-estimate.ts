/**
 * pass rate, pass@k and pass^k of a suite with their intervals. The value is the mean over cases of the
 * unbiased per-case estimate; a case with fewer than k trials has none and is left out, and `n` says how
 * many were used. Everything is a function of the histogram of (n, c), so a suite of 10,000 cases with
 * 100 trials each costs 101 terms per k.
 */
import { checkBetween, checkInteger, checkTarget } from '../domain.ts'
import { Sum } from '../fsum.ts'
import { type CaseCounts, DEFAULT_LEVEL, type Metric, type Target } from '../metric.ts'
import { someHyper, zeroHyper } from '../spec/pass-at-k.ts'
import { caseHistogram, type CountedCase } from './case-histogram.ts'
import { populationInterval } from './proportion/effective-n-wilson.ts'
import { fixedSetBounds } from './fixed-set-interval.ts'
import { spreadOverCases } from './weighted-mean.ts'

/** At least one of k passes, or all k pass. */
type Aim = 'all' | 'any'

const valueOf = (aim: Aim, { n, c }: CaseCounts, k: number): number =>
  aim === 'any' ? someHyper(n, c, k) : zeroHyper(n, n - c, k)

/**
 * Jackknife variance of a case's value. U(n−1, c) − U(n−1, c−1) is the share of k-sets that hold one
 * given trial and otherwise miss all marked ones: C(n−1−marked, k−1)/C(n−1, k).
 */
function jackknifeVariance(aim: Aim, { n, c }: CaseCounts, k: number): number {
  if (c === 0 || c === n) return 0
  const marked = aim === 'any' ? c : n - c
  const movement = (zeroHyper(n - 1, marked, k - 1) * k) / (n - k)
  return ((n - 1) / n) * ((c * (n - c)) / n) * movement * movement
}

/** Standard error over new trials of the same cases; 0 where a case has too few trials to show one. */
function fixedSetSE(aim: Aim, rows: readonly CountedCase[], k: number, cases: number): number {
  const total = new Sum()
  for (const row of rows) {
    if (row.n <= k) return 0
    total.add(row.cases * jackknifeVariance(aim, row, k))
  }
  return Math.sqrt(total.value) / cases
}

/**
 * How many independent attempts of k trials the suite's mean is worth. Each case weighs the same, so with
 * unequal n it is the harmonic mean of n/k that counts: half the cases at 50 trials do not make up for
 * the other half at 3.
 */
function attemptsOf(rows: readonly CountedCase[], k: number, cases: number): number {
  const variance = new Sum()
  for (const row of rows) variance.add((row.cases * k) / row.n)
  return (cases * cases) / variance.value
}

const leftOut = (k: number): string =>
  k === 1 ? 'no case has a trial' : `no case has at least ${k} trials`

/** The estimate from a histogram; the curve calls it once per k. */
export function passEstimate(
  aim: Aim,
  histogram: readonly CountedCase[],
  k: number,
  target: Target,
  level: number,
): Metric {
  checkTarget(target)
  const rows = histogram.filter((row) => row.n >= k)
  if (rows.length === 0) return { value: null, reason: leftOut(k), n: 0 }
  const spread = spreadOverCases(
    rows.map((row) => ({ value: valueOf(aim, row, k), cases: row.cases })),
  )
  const { mean: value, units: n } = spread
  const attempts = attemptsOf(rows, k, n)
  if (target === 'fixed') {
    const se = fixedSetSE(aim, rows, k, n)
    return { value, n, interval: fixedSetBounds(value, se, attempts, level) }
  }
  if (n === 1) return { value, reason: 'one case says nothing about others: no interval', n }
  return { value, n, interval: populationInterval(spread, attempts, level) }
}

function check(k: number, level: number): void {
  checkInteger('k', k, 1)
  checkBetween('level', level, 0, 1)
}

/**
 * Mean pass rate over the cases that have a trial, each case weighing the same.
 *
 * @example passRateEstimate([{ n: 4, c: 3 }, { n: 4, c: 1 }], 'fixed').value // 0.5
 */
export function passRateEstimate(
  cases: readonly CaseCounts[],
  target: Target,
  level: number = DEFAULT_LEVEL,
): Metric {
  check(1, level)
  return passEstimate('any', caseHistogram(cases), 1, target, level)
}

/**
 * Mean unbiased pass@k over the cases with at least k trials: the chance that at least one of k trials of
 * a case passes.
 *
 * @example passAtKEstimate([{ n: 5, c: 4 }, { n: 5, c: 0 }], 2, 'fixed').value // 0.5
 */
export function passAtKEstimate(
  cases: readonly CaseCounts[],
  k: number,
  target: Target,
  level: number = DEFAULT_LEVEL,
): Metric {
  check(k, level)
  return passEstimate('any', caseHistogram(cases), k, target, level)
}

/**
 * Mean unbiased pass^k over the cases with at least k trials: the chance that all k trials of a case pass.
 *
 * @example passHatKEstimate([{ n: 5, c: 4 }, { n: 5, c: 0 }], 2, 'fixed').value // 0.3
 */
export function passHatKEstimate(
  cases: readonly CaseCounts[],
  k: number,
  target: Target,
  level: number = DEFAULT_LEVEL,
): Metric {
  check(k, level)
  return passEstimate('all', caseHistogram(cases), k, target, level)
}
