/**
 * pass@k and pass^k for every k that some case can answer. The curve shows what a single k hides: at k = n
 * each case is only 0 or 1, and the headline belongs at k ≤ n/2, where there is gradation left.
 */
import { checkBetween } from '../domain.ts'
import { type CaseCounts, DEFAULT_LEVEL, type Metric, type Target } from '../metric.ts'
import { caseHistogram } from './case-histogram.ts'
import { passEstimate } from './pass-estimate.ts'

function curve(
  aim: 'all' | 'any',
  cases: readonly CaseCounts[],
  target: Target,
  level: number,
): readonly Metric[] {
  checkBetween('level', level, 0, 1)
  const histogram = caseHistogram(cases)
  const most = histogram.at(-1)?.n ?? 0
  return Array.from({ length: most }, (_, i) => passEstimate(aim, histogram, i + 1, target, level))
}

/**
 * pass@1, pass@2, … up to the most trials a case has; element k − 1 is over the cases with n ≥ k, so with
 * unequal n its members change along the curve (`n` says how many). Empty without trials.
 *
 * @example passAtKCurve([{ n: 2, c: 1 }, { n: 2, c: 2 }], 'fixed').map((m) => m.value) // [0.75, 1]
 */
export function passAtKCurve(
  cases: readonly CaseCounts[],
  target: Target,
  level: number = DEFAULT_LEVEL,
): readonly Metric[] {
  return curve('any', cases, target, level)
}

/**
 * pass^1, pass^2, … up to the most trials a case has; see {@link passAtKCurve}.
 *
 * @example passHatKCurve([{ n: 2, c: 1 }, { n: 2, c: 2 }], 'fixed').map((m) => m.value) // [0.75, 0.5]
 */
export function passHatKCurve(
  cases: readonly CaseCounts[],
  target: Target,
  level: number = DEFAULT_LEVEL,
): readonly Metric[] {
  return curve('all', cases, target, level)
}
