/**
 * Mean score of a suite with its interval, from each case's number, sum and sum of squares of scores.
 *
 * Scores in [0, 1] are worth more observations than their number, n_eff = mean(1 − mean)/se², and the
 * exact interval on n_eff (Korn and Graubard) is nearly the t interval. Its weakness is what was not
 * seen: of scores at 1 with one in a hundred at 0, a hundred trials show no 0 in 37 % of suites, and any
 * interval made of the seen spread alone then misses the mean. So the interval always includes what an
 * unseen share e of scores at 0, or at 1, could do, where so much would stay unseen in all N independent
 * draws with chance (1 − e)^N = (1 − level)/2. For the population the draws are cases, for the fixed set
 * trials. With all scores at 1 this is the exact binomial interval.
 *
 * docs/design/default-intervals.md has the figures.
 */
import { checkBetween, checkInteger, checkNumber, checkTarget } from '../domain.ts'
import { Sum } from '../fsum.ts'
import { type Bounds, DEFAULT_LEVEL, type Interval, type Metric, type Target } from '../metric.ts'
import { normalQuantile } from '../special/normal.ts'
import { tQuantile } from '../special/student-t.ts'
import { kornGraubard } from './proportion/clopper-pearson.ts'
import { type Spread, spreadOverCases } from './weighted-mean.ts'

/** The scores of one case: how many trials, their sum and the sum of their squares. */
export interface CaseScores {
  readonly n: number
  readonly sum: number
  readonly sumSq: number
}

/** Sums of scores may miss their bounds by their own rounding. */
const SLACK = 1e-9

function check({ n, sum, sumSq }: CaseScores): void {
  checkInteger('n', n, 0)
  checkNumber('sum', sum, -SLACK, n + SLACK)
  // Scores in [0, 1]: no square is above its score, and the squares are least when all are equal.
  checkNumber('sumSq', sumSq, (n > 0 ? (sum * sum) / n : 0) - SLACK, sum + SLACK)
}

const clamp = (x: number): number => Math.min(1, Math.max(0, x))

/** The interval on n_eff, joined with what could have stayed unseen in `draws`. */
function joined(score: number, effectiveN: number | null, draws: number, level: number): Bounds {
  const seen = Math.exp(Math.log((1 - level) / 2) / draws)
  const unseen = { low: score * seen, high: 1 - (1 - score) * seen }
  if (effectiveN === null) return unseen
  const { low, high } = kornGraubard(score, effectiveN, level)
  return { low: Math.min(low, unseen.low), high: Math.max(high, unseen.high) }
}

function populationInterval({ mean, se, units, binary }: Spread, level: number): Interval {
  const rest = { level, target: 'population' } as const
  if (binary)
    return { ...kornGraubard(mean, units, level), ...rest, method: 'Clopper-Pearson over cases' }
  // Korn and Graubard's correction: the degrees of freedom of se count against n_eff.
  const tail = (1 - level) / 2
  const shrink = (normalQuantile(tail) / tQuantile(tail, units - 1)) ** 2
  const effectiveN = se === 0 ? null : ((mean * (1 - mean)) / (se * se)) * shrink
  return {
    ...joined(mean, effectiveN, units, level),
    ...rest,
    method: 'Korn-Graubard with unseen share',
  }
}

function fixedInterval(mean: number, cases: readonly CaseScores[], level: number): Interval {
  const variances = new Sum()
  const perTrial = new Sum()
  let single = false
  for (const { n, sum, sumSq } of cases) {
    perTrial.add(1 / n)
    if (n === 1) single = true
    else variances.add(Math.max(0, sumSq - (sum * sum) / n) / (n - 1) / n)
  }
  // Each case weighs the same, so with unequal n it is their harmonic mean that counts.
  const trials = cases.length ** 2 / perTrial.value
  const rest = { level, target: 'fixed' } as const
  // Without a second trial the spread of a case is unknown; no score spreads more than a pass or a failure.
  if (single)
    return { ...kornGraubard(mean, trials, level), ...rest, method: 'Clopper-Pearson over trials' }
  const se = Math.sqrt(variances.value) / cases.length
  // The subtraction of the squares leaves a rounding of about 1e-16, hence 1e-8 in se.
  const effectiveN = se < 1e-8 ? null : (mean * (1 - mean)) / (se * se)
  return {
    ...joined(mean, effectiveN, trials, level),
    ...rest,
    method: 'Clopper-Pearson on effective n with unseen share',
  }
}

/**
 * Mean over the cases of each case's mean score, cases without a trial left out.
 *
 * @example meanScoreEstimate([{ n: 2, sum: 1.5, sumSq: 1.25 }], 'fixed').value // 0.75
 */
export function meanScoreEstimate(
  cases: readonly CaseScores[],
  target: Target,
  level: number = DEFAULT_LEVEL,
): Metric {
  checkTarget(target)
  for (const scores of cases) check(scores)
  checkBetween('level', level, 0, 1)
  const used = cases.filter(({ n }) => n > 0)
  if (used.length === 0) return { value: null, reason: 'no case has a trial', n: 0 }
  const spread = spreadOverCases(used.map(({ n, sum }) => ({ value: clamp(sum / n), cases: 1 })))
  const { mean: value, units: n } = spread
  if (target === 'fixed') return { value, n, interval: fixedInterval(value, used, level) }
  if (n === 1) return { value, reason: 'one case says nothing about others: no interval', n }
  return { value, n, interval: populationInterval(spread, level) }
}
