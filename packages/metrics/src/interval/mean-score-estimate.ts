/**
 * Computes the mean score of a suite with its interval, from the number, the sum and the sum of
 * squares of each case's scores.
 *
 * A mean of scores in [0, 1] with the standard error se is as precise as the mean of n_eff = mean(1 − mean)/se²
 * pass/fail observations. This is usually more than the number of scores. The exact interval for n_eff observations
 * (Korn and Graubard) is close to the t interval.
 *
 * This interval alone would be wrong if some scores are rare. Suppose that one score in a hundred is 0 and the others
 * are 1. Then 37 % of suites with a hundred trials contain no 0, and their intervals would exclude the true mean. So
 * the interval always allows for a share e of scores of 0 or 1 that do not occur in the data. The share e is chosen
 * such that N independent draws contain none of these scores with the probability (1 − e)^N = (1 − level)/2. For the
 * population, the draws are cases. For the fixed set, they are trials. If all scores are 1, the result is the exact
 * binomial interval.
 *
 * docs/design/default-intervals.md has the figures.
 */
import {
  checkGroup,
  checkInteger,
  checkLevel,
  checkNumber,
  checkSameLength,
  checkTarget,
} from '../domain.ts'
import { Sum } from '../fsum.ts'
import { DEFAULT_LEVEL, type Interval, type Metric, type Target } from '../metric.ts'
import { normalQuantile } from '../special/normal.ts'
import { tQuantile } from '../special/student-t.ts'
import { groupedInterval, isGrouped, ONE_GROUP, withUnseenShare } from './grouped-interval.ts'
import type { Groups } from './pass-estimate.ts'
import { kornGraubard } from './proportion/clopper-pearson.ts'
import type { EffectiveInterval } from './proportion/effective-n.ts'
import { addParts, bySimilarTrials, containing, type Part } from './similar-trials.ts'
import { type Spread, spreadOverCases } from './weighted-mean.ts'

/**
 * The scores of one case: the number of trials, the sum of their scores and the sum of the squared
 * scores.
 */
export interface CaseScores {
  readonly n: number
  readonly sum: number
  readonly sumSq: number
}

/** A sum of scores may be outside its bounds by this much, because of rounding. */
const SLACK = 1e-9

function check({ n, sum, sumSq }: CaseScores): void {
  checkInteger('n', n, 0)
  checkNumber('sum', sum, -SLACK, n + SLACK)
  // The square of a score in [0, 1] is at most the score, so `sumSq` is at most `sum`. The sum of
  // squares is smallest if all scores are equal, so it is at least sum²/n.
  checkNumber('sumSq', sumSq, (n > 0 ? (sum * sum) / n : 0) - SLACK, sum + SLACK)
}

const clamp = (x: number): number => Math.min(1, Math.max(0, x))

function populationInterval({ mean, se, units, binary }: Spread, level: number): EffectiveInterval {
  const rest = { level, target: 'population' } as const
  if (binary) {
    const method = 'Clopper-Pearson over cases'
    return { interval: { ...kornGraubard(mean, units, level), ...rest, method }, effectiveN: units }
  }
  // This is Korn and Graubard's correction. n_eff is reduced, because with few cases se itself is
  // uncertain.
  const tail = (1 - level) / 2
  const shrink = (normalQuantile(tail) / tQuantile(tail, units - 1)) ** 2
  const effectiveN = se === 0 ? null : ((mean * (1 - mean)) / (se * se)) * shrink
  const method = 'Korn-Graubard with unseen share'
  const interval: Interval = { ...withUnseenShare(mean, effectiveN, units, level), ...rest, method }
  return { interval, effectiveN: effectiveN ?? units }
}

interface FixedSpread {
  /**
   * The standard error is 0 if a case has only one trial, because the spread of that case is then
   * unknown.
   */
  readonly se: number
  readonly isKnown: boolean
  /**
   * The number of trials that counts for the interval. It is the number of cases times the harmonic
   * mean of their n, because each case has the same weight.
   */
  readonly trials: number
}

function fixedSpread(cases: readonly CaseScores[]): FixedSpread {
  const variances = new Sum()
  const perTrial = new Sum()
  for (const { n, sum, sumSq } of cases) {
    perTrial.add(1 / n)
    if (n > 1) variances.add(Math.max(0, sumSq - (sum * sum) / n) / (n - 1) / n)
  }
  const trials = cases.length ** 2 / perTrial.value
  const isKnown = cases.every(({ n }) => n > 1)
  return { se: isKnown ? Math.sqrt(variances.value) / cases.length : 0, isKnown, trials }
}

function partInterval(cases: readonly CaseScores[], level: number): Part {
  const mean = average(cases)
  const { se, isKnown, trials } = fixedSpread(cases)
  const rest = { level, target: 'fixed' } as const
  // With only one trial, the spread of a case is unknown. Pass/fail scores have the largest possible
  // spread, so the interval for pass/fail scores is wide enough.
  if (!isKnown) {
    const method = 'Clopper-Pearson over trials'
    const interval: Interval = { ...kornGraubard(mean, trials, level), ...rest, method }
    return { mean, cases: cases.length, interval, effectiveN: trials }
  }
  // The variance is a difference of squares with a rounding error of about 1e-16. In its root, se,
  // this is about 1e-8, so a smaller se counts as 0.
  const effectiveN = se < 1e-8 ? null : (mean * (1 - mean)) / (se * se)
  const method = 'Clopper-Pearson on effective n with unseen share'
  const interval: Interval = {
    ...withUnseenShare(mean, effectiveN, trials, level),
    ...rest,
    method,
  }
  return { mean, cases: cases.length, interval, effectiveN: effectiveN ?? trials }
}

const average = (cases: readonly CaseScores[]): number =>
  spreadOverCases(cases.map(({ n, sum }) => ({ value: clamp(sum / n), cases: 1 }))).mean

/**
 * Returns the mean over the cases of each case's mean score, with its interval. Cases without a
 * trial are left out. `groups[i]` names the group of case i. Groups change only the interval for
 * cases like these (target `population`). They do not change the interval for exactly these cases
 * (target `fixed`).
 *
 * @example meanScoreEstimate([{ n: 2, sum: 1.5, sumSq: 1.25 }], 'fixed').value // 0.75
 */
export function meanScoreEstimate(
  cases: readonly CaseScores[],
  target: Target,
  level: number = DEFAULT_LEVEL,
  groups?: Groups,
): Metric {
  checkTarget(target)
  if (groups) {
    checkSameLength('groups', groups, 'cases', cases)
    for (const group of groups) checkGroup(group)
  }
  for (const scores of cases) check(scores)
  checkLevel(level)
  const used = cases.filter(({ n }) => n > 0)
  if (used.length === 0) return { value: null, reason: 'no case has a trial', n: 0 }
  const values = used.map(({ n, sum }) => clamp(sum / n))
  const spread = spreadOverCases(values.map((one) => ({ value: one, cases: 1 })))
  const { mean: value, units: n } = spread
  const fixed = addParts(bySimilarTrials(used).map((part) => partInterval(part, level)))
  if (target === 'fixed') return { value, n, se: fixedSpread(used).se, ...fixed }
  if (n === 1) return { value, reason: 'one case says nothing about others: no interval', n }
  const names = groups?.filter((_, i) => (cases[i] as CaseScores).n > 0)
  if (isGrouped(names)) {
    const { groups: count, estimate } = groupedInterval(values, names, Infinity, level)
    if (estimate === null) return { value, reason: ONE_GROUP, n, groups: count }
    return { value, n, groups: count, se: estimate.se, ...containing(estimate, fixed) }
  }
  const population = populationInterval(spread, level)
  return { value, n, se: spread.se, ...containing(population, fixed) }
}
