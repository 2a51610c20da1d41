/** Explains what the intervals and tests of a comparison refer to, for each measure shown. */
import { counted } from '../text/index.ts'
import { ALIKE } from './comparison.ts'
import type { Comparison, PairComparison } from './comparison-types.ts'
import type { MetricChange } from './gate-verdict.ts'
import { pText, titleOf } from './words.ts'

const ABOUT_VERDICTS = 'Verdicts after the first are adjusted for one another.'

/** Returns the text below the table of measures. */
export function aboutFigures(pair: PairComparison, target: Comparison['target']): string {
  const { cases, leftOut } = pair
  return [
    `${counted(cases, 'case')} on both sides.`,
    ...(leftOut > 0
      ? [
          `All figures are over these; the reports’ own also count the ${counted(leftOut, 'case')} left out here.`,
        ]
      : []),
    ...aboutIntervals(pair.metrics, target),
    ...(pair.metrics.some(({ adjustedP }) => adjustedP !== null) ? [ABOUT_VERDICTS] : []),
  ].join(' ')
}

/**
 * Says which target each interval has. A measure gets the requested target only if each case's trials show
 * how much it varies.
 */
function aboutIntervals(metrics: readonly MetricChange[], target: Comparison['target']): string[] {
  const shown = metrics.filter(({ interval }) => interval !== null)
  const points = shown.filter(({ scale }) => scale === 'points')
  const fixed = points.filter(({ interval }) => interval?.target === 'fixed')
  const others = points.filter(({ interval }) => interval?.target !== 'fixed')
  const names = (some: readonly MetricChange[]): string =>
    some.length === points.length
      ? 'scores and rates'
      : some.map(({ metric, k }) => titleOf(metric, k)).join(' and ')
  const why =
    target === 'fixed' ? ', as some cases have too few trials to show how much they vary' : ''
  return [
    ...(fixed.length > 0
      ? [`Intervals of ${names(fixed)}: exactly these cases, tried again.`]
      : []),
    ...(others.length > 0 ? [`Intervals of ${names(others)}: cases like these${why}.`] : []),
    ...(shown.length > points.length
      ? ['Of cost and time: cases like these, relative to the baseline.']
      : []),
  ]
}

/**
 * Says whether the average changed. If all cases agree, only the sign-flip p is shown, because the other p is
 * just a bound.
 */
export function averageText({
  averageChanged,
  averageChangedExact,
}: PairComparison['tests']): string {
  if (averageChanged.method === ALIKE) return `p ${pText(averageChangedExact.p)}, all cases agree`
  return `p ${pText(averageChanged.p)}, without assumptions ${pText(averageChangedExact.p)}`
}
