/**
 * Computes a pass rate that is corrected for the errors of the judge, and how many more labels (people's verdicts) it
 * needs.
 *
 * The interval should contain the true rate with a probability of 95 % and reach at most 10 points to either side. With
 * too few labels of one kind, the probability is lower. `LEAST_EACH` is the minimum number of passed and of failed
 * labels. Simulations show that it is high enough (corrected-rate.long.test.ts).
 */
import { roganGladen, type CaseCounts } from '@assay/metrics'

/**
 * How often a judge agreed with a person. `good` counts the answers that the person passed, and its `c` how many of
 * them the judge passed. `bad` counts the answers that the person failed, and its `c` how many of them the judge
 * failed.
 */
export interface JudgeErrors {
  readonly good: CaseCounts
  readonly bad: CaseCounts
}

export interface Corrected {
  readonly value: number | null
  readonly interval: { readonly low: number; readonly high: number } | null
  /** Why there is no value or no interval. Null if there are both. */
  readonly reason: string | null
  /** Whether the computed value was below 0 or above 1 and was replaced by that limit. */
  readonly clipped: boolean
  /**
   * About how many more random labels are needed for the promised interval. 0 if the interval is as promised. Null if
   * no number is enough.
   */
  readonly moreLabels: number | null
  /** Whether the run has at least `moreLabels` trials without a label. */
  readonly hasSoMany: boolean
}

/** The maximum distance between the rate and either end of its interval, in percentage points. */
export const PROMISED_POINTS = 10
export const LEAST_EACH = 10
const HALF = PROMISED_POINTS / 100
/**
 * The search for the number of labels stops at this multiple of the existing labels. Nobody would label that many
 * trials.
 */
const MOST_FACTOR = 1000

/** Computes the corrected rate. `left` is the number of trials that have no label yet. */
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

/**
 * Returns how many more random labels are needed to get `LEAST_EACH` of each kind. It assumes that the ratio of the two
 * kinds stays as it is now.
 */
function moreForLeast(good: number, bad: number): number {
  const more = (have: number): number =>
    Math.max(0, Math.ceil(((LEAST_EACH - have) * (good + bad + 2)) / (have + 1)))
  return Math.max(more(good), more(bad))
}

/**
 * Returns how many more labels make the interval narrow enough. Null if even very many labels are not enough, because
 * the run has too few trials.
 */
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
