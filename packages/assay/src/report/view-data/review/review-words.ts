/** Describes the figures of a review in words, for the page and the terminal. */
import type { Metric } from '@assay/metrics'
import { counted } from '../../../text/index.ts'
import { PROMISED_POINTS, type Corrected } from './corrected-rate.ts'

export { PROMISED_POINTS }

/** Says what is missing from a corrected rate, and how many more labels it needs. Empty if nothing is missing. */
export const correctionWords = (corrected: Corrected): string =>
  [
    ...(corrected.reason === null ? [] : [corrected.reason]),
    ...(corrected.clipped ? ['set to the nearest possible rate'] : []),
    ...needsIn(corrected),
  ].join('; ')

function needsIn({ interval, moreLabels, hasSoMany }: Corrected): string[] {
  const goal = interval === null ? 'an interval' : `±${PROMISED_POINTS} points`
  if (moreLabels === 0) return []
  if (moreLabels === null)
    return interval === null ? [] : [`${goal} need more trials: more labels are not enough`]
  const more = `about ${counted(moreLabels, 'more random label')}`
  return [
    hasSoMany
      ? `${more} ${moreLabels === 1 ? 'is' : 'are'} needed for ${goal}`
      : `${more} would be needed for ${goal}, which is more than the trials without a label`,
  ]
}

/** Formats Cohen's kappa with its interval, such as `0.62 (0.41 to 0.83) over 40 trials`. */
export function kappaWords(kappa: Metric | null): string {
  if (kappa === null) return '–'
  const over = `over ${counted(kappa.n, 'trial')}`
  if (kappa.value === null) return `– ${over}: ${kappa.reason ?? 'not defined'}`
  const { interval } = kappa
  const range =
    interval === undefined ? '' : ` (${figure(interval.low)} to ${figure(interval.high ?? 1)})`
  return `${figure(kappa.value)}${range} ${over}`
}

const figure = (value: number): string => value.toFixed(2).replace('-', '−')
