/**
 * Pass rate, pass@k and pass^k of a suite with their intervals. The value is the mean over cases of
 * the unbiased per-case estimate. A case with fewer than k trials has no such estimate and is left
 * out; `n` says how many cases were used. Everything is computed from the number of cases with each
 * pair (n, c) of trials and passes. So a suite of 10,000 cases with 100 trials each needs only 101
 * terms per k.
 *
 * Cases can come in groups, such as one group per repository. This changes the interval for cases like these, where the
 * group is what was sampled. It changes neither the value nor the interval for exactly these cases, where only the
 * trials vary.
 */
import { checkGroup, checkInteger, checkLevel, checkSameLength, checkTarget } from '../domain.ts'
import { Sum } from '../fsum.ts'
import { type CaseCounts, DEFAULT_LEVEL, type Metric, type Target } from '../metric.ts'
import { someHyper, zeroHyper } from '../spec/pass-at-k.ts'
import { caseHistogram, type CountedCase } from './case-histogram.ts'
import { fixedSetBounds } from './fixed-set-interval.ts'
import { groupedInterval, isGrouped, ONE_GROUP } from './grouped-interval.ts'
import { type EffectiveInterval, populationInterval } from './proportion/effective-n.ts'
import { addParts, bySimilarTrials, containing } from './similar-trials.ts'
import { type Spread, spreadOverCases } from './weighted-mean.ts'

/** `any` is pass@k: at least one of k trials passes. `all` is pass^k: all k trials pass. */
type Aim = 'all' | 'any'

const valueOf = (aim: Aim, { n, c }: CaseCounts, k: number): number =>
  aim === 'any' ? someHyper(n, c, k) : zeroHyper(n, n - c, k)

/**
 * Returns the jackknife variance of pass@k or pass^k of a case with c passes in n trials. The jackknife leaves out each
 * trial in turn and measures how much the value U changes. For pass@k, the passes count as marked trials, and for
 * pass^k the failures. The change U(n−1, c) − U(n−1, c−1) is C(n−1−marked, k−1)/C(n−1, k). That is the share of the
 * k-subsets of n − 1 trials that contain one given trial and no other marked trial.
 */
function jackknifeVariance(aim: Aim, { n, c }: CaseCounts, k: number): number {
  if (c === 0 || c === n) return 0
  const marked = aim === 'any' ? c : n - c
  const movement = (zeroHyper(n - 1, marked, k - 1) * k) / (n - k)
  return ((n - 1) / n) * ((c * (n - c)) / n) * movement * movement
}

/**
 * Returns the number of independent attempts of k trials that would give the same precision as the
 * suite's mean. Each case has the same weight, so the harmonic mean of n/k is used if the n differ.
 * For example, 50 trials in half of the cases do not make up for only 3 trials in the others.
 */
function attemptsOf(rows: readonly CountedCase[], k: number, cases: number): number {
  const variance = new Sum()
  for (const row of rows) variance.add((row.cases * k) / row.n)
  return (cases * cases) / variance.value
}

/**
 * Returns the standard error over new trials of the same cases. It is 0 if a case has too few
 * trials to estimate the error.
 *
 * For k = 1, the jackknife is unbiased. For k > 1, it is too large, by far if n is just above k: with
 * n = 11 and k = 10, a single pass would give a case the variance 0.83. So the error is at most that
 * of as many independent attempts, which the true error never exceeds: the variance of a case's value
 * v is at most (k/n) v(1 − v), because the value is a mean over all groups of k of the n trials
 * (Hoeffding 1948, theorem 5.1).
 */
function fixedSetSE(
  aim: Aim,
  rows: readonly CountedCase[],
  k: number,
  { mean, units: cases }: Spread,
): number {
  const total = new Sum()
  for (const row of rows) {
    if (row.n <= k) return 0
    total.add(row.cases * jackknifeVariance(aim, row, k))
  }
  const se = Math.sqrt(total.value) / cases
  return k === 1 ? se : Math.min(se, Math.sqrt((mean * (1 - mean)) / attemptsOf(rows, k, cases)))
}

const leftOut = (k: number): string =>
  k === 1 ? 'no case has a trial' : `no case has at least ${k} trials`

/** The names of the cases' groups: `groups[i]` is the group of case i. */
export type Groups = readonly (string | number)[]

/** The cases and their groups, if the cases come in groups. */
export interface GroupedCases {
  readonly cases: readonly CaseCounts[]
  readonly groups: Groups
}

/**
 * Checks the groups and returns the cases with them. The result is null if there are no groups, or
 * if no two cases share a group.
 */
export function groupedCases(
  cases: readonly CaseCounts[],
  groups: Groups | undefined,
): GroupedCases | null {
  if (groups === undefined) return null
  checkSameLength('groups', groups, 'cases', cases)
  for (const group of groups) checkGroup(group)
  return isGrouped(groups) ? { cases, groups } : null
}

/** Returns the population interval of cases that come in groups. */
function ofGroups(
  aim: Aim,
  { cases, groups }: GroupedCases,
  k: number,
  attempts: number,
  level: number,
): ReturnType<typeof groupedInterval> {
  const known = new Map<string, number>()
  const values: number[] = []
  const names: (string | number)[] = []
  for (const [i, one] of cases.entries()) {
    if (one.n < k) continue
    const key = `${one.n}/${one.c}`
    const value = known.get(key) ?? valueOf(aim, one, k)
    known.set(key, value)
    values.push(value)
    names.push(groups[i] as string | number)
  }
  return groupedInterval(values, names, attempts, level)
}

/** Returns the estimate from a histogram of (n, c). pass-curve.ts calls this function once per k. */
export function passEstimate(
  aim: Aim,
  histogram: readonly CountedCase[],
  k: number,
  target: Target,
  level: number,
  grouped: GroupedCases | null = null,
): Metric {
  checkTarget(target)
  const rows = histogram.filter((row) => row.n >= k)
  if (rows.length === 0) return { value: null, reason: leftOut(k), n: 0 }
  const spread = spreadOverCases(
    rows.map((row) => ({ value: valueOf(aim, row, k), cases: row.cases })),
  )
  const { mean: value, units: n } = spread
  const fixed = fixedInterval(aim, rows, k, level)
  if (target === 'fixed') return { value, n, se: fixedSetSE(aim, rows, k, spread), ...fixed }
  if (n === 1) return { value, reason: 'one case says nothing about others: no interval', n }
  const attempts = attemptsOf(rows, k, n)
  if (grouped !== null) {
    const { groups, estimate } = ofGroups(aim, grouped, k, attempts, level)
    if (estimate === null) return { value, reason: ONE_GROUP, n, groups }
    return { value, n, groups, se: estimate.se, ...containing(estimate, fixed) }
  }
  const population = populationInterval(spread, attempts, level)
  return { value, n, se: spread.se, ...containing(population, fixed) }
}

function fixedInterval(
  aim: Aim,
  rows: readonly CountedCase[],
  k: number,
  level: number,
): EffectiveInterval {
  const parts = bySimilarTrials(rows).map((part) => {
    const spread = spreadOverCases(
      part.map((row) => ({ value: valueOf(aim, row, k), cases: row.cases })),
    )
    const { mean, units: cases } = spread
    const se = fixedSetSE(aim, part, k, spread)
    return { mean, cases, ...fixedSetBounds(mean, se, attemptsOf(part, k, cases), level) }
  })
  return addParts(parts)
}

function check(k: number, level: number): void {
  checkInteger('k', k, 1)
  checkLevel(level)
}

/**
 * Returns the mean pass rate over the cases that have a trial. Each case has the same weight.
 * `groups[i]` names the group of case i, for example its repository.
 *
 * @example passRateEstimate([{ n: 4, c: 3 }, { n: 4, c: 1 }], 'fixed').value // 0.5
 */
export function passRateEstimate(
  cases: readonly CaseCounts[],
  target: Target,
  level: number = DEFAULT_LEVEL,
  groups?: Groups,
): Metric {
  check(1, level)
  const histogram = caseHistogram(cases)
  return passEstimate('any', histogram, 1, target, level, groupedCases(cases, groups))
}

/**
 * Returns the mean of the unbiased pass@k over the cases with at least k trials. pass@k is the
 * probability that at least one of k trials of a case passes.
 *
 * @example passAtKEstimate([{ n: 5, c: 4 }, { n: 5, c: 0 }], 2, 'fixed').value // 0.5
 */
export function passAtKEstimate(
  cases: readonly CaseCounts[],
  k: number,
  target: Target,
  level: number = DEFAULT_LEVEL,
  groups?: Groups,
): Metric {
  check(k, level)
  const histogram = caseHistogram(cases)
  return passEstimate('any', histogram, k, target, level, groupedCases(cases, groups))
}

/**
 * Returns the mean of the unbiased pass^k over the cases with at least k trials. pass^k is the
 * probability that all k trials of a case pass.
 *
 * @example passHatKEstimate([{ n: 5, c: 4 }, { n: 5, c: 0 }], 2, 'fixed').value // 0.3
 */
export function passHatKEstimate(
  cases: readonly CaseCounts[],
  k: number,
  target: Target,
  level: number = DEFAULT_LEVEL,
  groups?: Groups,
): Metric {
  check(k, level)
  const histogram = caseHistogram(cases)
  return passEstimate('all', histogram, k, target, level, groupedCases(cases, groups))
}
