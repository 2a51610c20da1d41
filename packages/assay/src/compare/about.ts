/** Explains, for each measure shown, what the intervals and tests of a comparison are about. */
import { counted } from '../text/index.ts'
import { ALIKE } from './comparison.ts'
import type { Comparison, PairComparison } from './comparison-types.ts'
import type { MetricChange } from './gate-verdict.ts'
import { pText, titleOf, togetherText } from './words.ts'

/** Returns the explanation that is printed below the table of measures. */
export function aboutFigures(pair: PairComparison, target: Comparison['target']): string {
  const { cases, leftOut } = pair
  const together = togetherText(pair.metrics)
  return [
    `${counted(cases, 'case')} on both sides.`,
    ...aboutGroups(pair, target),
    ...(leftOut > 0
      ? [
          `All figures are over these; the reports’ own also count the ${counted(leftOut, 'case')} left out here.`,
        ]
      : []),
    ...aboutIntervals(pair.metrics, target),
    ...(together === '' ? [] : [together]),
  ].join(' ')
}

const FEW_GROUPS = 10

/** Says how many groups the cases form, and how the groups change the intervals. */
function aboutGroups({ groups }: PairComparison, target: Comparison['target']): string[] {
  if (groups === undefined) return []
  const few = groups < FEW_GROUPS ? `only ${counted(groups, 'group')}` : counted(groups, 'group')
  return [
    `They come in ${few}: what is said of cases like these counts groups, not cases${target === 'fixed' ? '; what is said of exactly these cases does not depend on groups' : ''}.`,
  ]
}

/**
 * Says what each interval is about: exactly these cases, or cases like these. A measure does not always have the target
 * that the user asked for. That needs enough trials of each case to show how much the measure varies within the case.
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
 * Says whether the average changed. If the change is the same in all cases, only the p-value of the sign-flip test is
 * shown. The p-value of the t test is then only an upper bound.
 */
export function averageText({
  averageChanged,
  averageChangedExact,
}: PairComparison['tests']): string {
  if (averageChanged.method === ALIKE) return `p ${pText(averageChangedExact.p)}, all cases agree`
  return `p ${pText(averageChanged.p)}, without assumptions ${pText(averageChangedExact.p)}`
}
