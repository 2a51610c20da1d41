/**
 * Computes pass@k and pass^k for every k up to the largest number of trials. A single k can
 * mislead: if k is the number of trials n, the value of each case is either 0 or 1. The curve over
 * all k shows this. Headline figures should use k ≤ n/2, where values between 0 and 1 are possible.
 */
import { checkLevel } from '../domain.ts'
import { type CaseCounts, DEFAULT_LEVEL, type Metric, type Target } from '../metric.ts'
import { caseHistogram } from './case-histogram.ts'
import { groupedCases, type Groups, passEstimate } from './pass-estimate.ts'

function curve(
  aim: 'all' | 'any',
  cases: readonly CaseCounts[],
  target: Target,
  level: number,
  groups: Groups | undefined,
): readonly Metric[] {
  checkLevel(level)
  const histogram = caseHistogram(cases)
  const grouped = groupedCases(cases, groups)
  const most = histogram.at(-1)?.n ?? 0
  return Array.from({ length: most }, (_, i) =>
    passEstimate(aim, histogram, i + 1, target, level, grouped),
  )
}

/**
 * Returns pass@1, pass@2, … up to the largest number of trials of a case. Element k − 1 is the mean
 * over the cases with n ≥ k. So if cases have different numbers of trials, the elements are means
 * over different sets of cases. `n` of an element is the number of its cases. The list is empty if
 * there are no trials.
 *
 * @example passAtKCurve([{ n: 2, c: 1 }, { n: 2, c: 2 }], 'fixed').map((m) => m.value) // [0.75, 1]
 */
export function passAtKCurve(
  cases: readonly CaseCounts[],
  target: Target,
  level: number = DEFAULT_LEVEL,
  groups?: Groups,
): readonly Metric[] {
  return curve('any', cases, target, level, groups)
}

/**
 * Returns pass^1, pass^2, … up to the largest number of trials of a case; see {@link passAtKCurve}.
 *
 * @example passHatKCurve([{ n: 2, c: 1 }, { n: 2, c: 2 }], 'fixed').map((m) => m.value) // [0.75, 0.5]
 */
export function passHatKCurve(
  cases: readonly CaseCounts[],
  target: Target,
  level: number = DEFAULT_LEVEL,
  groups?: Groups,
): readonly Metric[] {
  return curve('all', cases, target, level, groups)
}
