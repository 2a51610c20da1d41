/**
 * A pass rate corrected for the errors of the judge that gave the verdicts, and how many more labels it needs.
 *
 * The interval is promised to contain the true rate in 95 of 100 cases and to be at most 10 points to either side. With
 * few labels of one kind, the first part does not hold: `LEAST_EACH` is the number of passed and of failed labels from
 * which simulations show that it does (corrected-rate.long.test.ts).
 */
import { roganGladen, type CaseCounts } from '@assay/metrics'

/** How a judge decided on answers that a person passed (`c`: the judge passed them) and failed (`c`: it failed them). */
export interface JudgeErrors {
  readonly good: CaseCounts
  readonly bad: CaseCounts
}

export interface Corrected {
  readonly value: number | null
  readonly interval: { readonly low: number; readonly high: number } | null
  /** Why there is no value or no interval; null if there are both. */
  readonly reason: string | null
  /** Whether the value was outside of 0 to 1 and was set to the nearest of these. */
  readonly clipped: boolean
  /** About how many more random labels the promised interval needs; 0 if it is there. Null if no number is enough. */
  readonly moreLabels: number | null
  /** Whether the run has at least `moreLabels` trials without a label. */
  readonly hasSoMany: boolean
}

/** In points of 100. */
export const PROMISED_POINTS = 10
export const LEAST_EACH = 10
const HALF = PROMISED_POINTS / 100
/** More labels than anybody gives. */
const MOST_FACTOR = 1000

/** `left` is the number of trials that have no label yet. */
export function correctedRate(
  observed: CaseCounts,
  { good, bad }: JudgeErrors,
  left: number,
): Corrected {
  const needs = (moreLabels: number | null): Pick<Corrected, 'moreLabels' | 'hasSoMany'> => ({
    moreLabels,
    hasSoMany: moreLabels !== null && moreLabels <= left,
  })
  const none = { value: null, interval: null, clipped: false }
  if (observed.n === 0)
    return { ...none, reason: 'it gave no verdict on this subject', ...needs(null) }
  if (good.n === 0 || bad.n === 0)
    return {
      ...none,
      reason: `no trial that came up at random has the label “${good.n === 0 ? 'pass' : 'fail'}” yet`,
      ...needs(moreForLeast(good.n, bad.n)),
    }
  const { value, interval, reason, clipped } = roganGladen(observed, good, bad)
  if (value === null)
    return { ...none, reason: reason ?? 'it is not defined', ...needs(moreForLeast(good.n, bad.n)) }
  if (good.n < LEAST_EACH || bad.n < LEAST_EACH)
    return {
      value,
      interval: null,
      clipped,
      reason: `an interval needs ${LEAST_EACH} labels of each kind`,
      ...needs(moreForLeast(good.n, bad.n)),
    }
  const { low, high } = interval ?? {}
  if (low === undefined || high == null)
    return { value, interval: null, clipped, reason: reason ?? 'it is not defined', ...needs(null) }
  return {
    value,
    interval: { low, high },
    clipped,
    reason: null,
    ...needs(moreForWidth(observed, good, bad)),
  }
}

/** Labels come at random, so both kinds grow as they did so far. */
function moreForLeast(good: number, bad: number): number {
  const more = (have: number): number =>
    Math.max(0, Math.ceil(((LEAST_EACH - have) * (good + bad + 2)) / (have + 1)))
  return Math.max(more(good), more(bad))
}

/** Null if the interval stays wider even with very many labels, because the run has too few trials. */
function moreForWidth(observed: CaseCounts, good: CaseCounts, bad: CaseCounts): number | null {
  const scaled = ({ n, c }: CaseCounts, factor: number): CaseCounts => {
    const size = Math.ceil(n * factor)
    return { n: size, c: Math.round((c / n) * size) }
  }
  const isNarrow = (factor: number): boolean => {
    const { interval } = roganGladen(observed, scaled(good, factor), scaled(bad, factor))
    return interval?.high != null && (interval.high - interval.low) / 2 <= HALF
  }
  if (isNarrow(1)) return 0
  if (!isNarrow(MOST_FACTOR)) return null
  let [low, high] = [1, MOST_FACTOR]
  const labels = good.n + bad.n
  while ((high - low) * labels > 1) {
    const middle = (low + high) / 2
    if (isNarrow(middle)) high = middle
    else low = middle
  }
  return Math.ceil(labels * high) - labels
}
