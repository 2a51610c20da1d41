/** The figures of a review in words, for the page and the terminal. */
import type { Metric } from '@assay/metrics'
import { counted } from '../../../text/index.ts'
import { LEAST_EACH, PROMISED_POINTS, type Corrected } from './corrected-rate.ts'

export { LEAST_EACH, PROMISED_POINTS }

/** Says what the promised interval still needs. Empty if it is there. */
export function correctionNeeds({ interval, moreLabels, hasSoMany }: Corrected): string {
  if (moreLabels === 0) return ''
  const goal = interval === null ? 'an interval' : `±${PROMISED_POINTS} points`
  if (moreLabels === null)
    return interval === null
      ? ''
      : `no number of labels gives ${goal}: the run has too few trials, or the judge errs too often`
  const more = `about ${counted(moreLabels, 'more random label')}`
  return hasSoMany
    ? `${more} ${moreLabels === 1 ? 'is' : 'are'} needed for ${goal}`
    : `${more} would be needed for ${goal}, which is more than the trials without a label`
}

/** Cohen's kappa with its interval, such as `0.62 (0.41 to 0.83) over 40 trials`. */
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

