/**
 * Estimates the true pass rate π from the verdicts of a judge that makes errors. A judge passes the
 * share sens (sensitivity) of the good items and the share 1 − spec of the bad items, where spec is
 * the specificity. So the observed pass rate is p = π·sens + (1 − π)(1 − spec). Solved for π, this
 * is Rogan and Gladen's estimator, (p + spec − 1)/(sens + spec − 1). Sensitivity and specificity
 * are estimated from items with gold labels, so the interval includes their uncertainty.
 *
 * `standardError` is a first-order approximation from the three independent counts. It is 0 or far
 * too small if the rate is near 0 or 1, or if the judge made no error. So the interval is that of
 * Lang and Reiczigel. It adds z²/2 passes and z²/2 failures to the observed counts, where z is the
 * normal quantile of the level. It adds one pass and one failure to the counts behind sensitivity
 * and specificity. Then it computes the rate and its standard error again, and shifts the centre.
 *
 * Source: Rogan and Gladen 1978 (Am. J. Epidemiol. 107); Lang and Reiczigel 2014 (Prev. Vet. Med.
 * 113).
 */
import { checkCounts, checkLevel } from '../domain.ts'
import { type CaseCounts, DEFAULT_LEVEL, type Metric } from '../metric.ts'
import { normalQuantile } from '../special/normal.ts'

export interface CorrectedRate extends Metric {
  /** The value before it was limited to [0, 1]; null if the judge is no better than chance. */
  readonly raw: number | null
  /**
   * Whether the raw value was outside [0, 1]. In that case, no true rate would give the observed
   * pass rate with this judge: it is too low or too high.
   */
  readonly clipped: boolean
  readonly standardError: number | null
}

interface Rates {
  readonly observed: number
  readonly sensitivity: number
  /** 1 − specificity: the share of bad items that the judge passes. */
  readonly falsePass: number
}

/**
 * Returns sensitivity + specificity − 1, which is 0 for a judge that guesses and 1 for a perfect
 * judge.
 */
const informedness = ({ sensitivity, falsePass }: Rates): number => sensitivity - falsePass

const trueRate = (rates: Rates): number => (rates.observed - rates.falsePass) / informedness(rates)

/**
 * Returns the variance of the estimated true rate. `sizes` are the numbers of items behind the
 * rates.
 */
function varianceOf(rates: Rates, sizes: Rates): number {
  const { observed: p, sensitivity, falsePass } = rates
  const rate = trueRate(rates)
  return (
    ((p * (1 - p)) / sizes.observed +
      (rate ** 2 * sensitivity * (1 - sensitivity)) / sizes.sensitivity +
      ((1 - rate) ** 2 * falsePass * (1 - falsePass)) / sizes.falsePass) /
    informedness(rates) ** 2
  )
}

const clip = (x: number): number => Math.min(1, Math.max(0, x))

/**
 * Returns the true pass rate, estimated from the verdicts of an imperfect judge. `observed`: the
 * judge passed c of n items. `sensitivity`: of n items that are good by their gold labels, the
 * judge passed c. `specificity`: of n items that are bad by their gold labels, the judge failed c.
 * The value is null if sensitivity + specificity is at most 1, because the judge is then no better
 * than chance. The items must be independent of each other.
 *
 * @example
 * const gold = [{ n: 50, c: 45 }, { n: 50, c: 40 }]
 * roganGladen({ n: 100, c: 60 }, ...gold).value // 0.5714285714285714 = 4/7
 */
export function roganGladen(
  observed: CaseCounts,
  sensitivity: CaseCounts,
  specificity: CaseCounts,
  level: number = DEFAULT_LEVEL,
): CorrectedRate {
  for (const { n, c } of [observed, sensitivity, specificity]) checkCounts(n, c)
  checkLevel(level)
  const n = observed.n
  const sizes = { observed: n, sensitivity: sensitivity.n, falsePass: specificity.n }
  const rates = {
    observed: observed.c / n,
    sensitivity: sensitivity.c / sensitivity.n,
    falsePass: (specificity.n - specificity.c) / specificity.n,
  }
  // The comparison uses integers, because 7/10 and 1 − 3/10 are not the same double.
  if (sensitivity.c * specificity.n <= (specificity.n - specificity.c) * sensitivity.n) {
    const reason = 'the judge does no better than chance on the gold labels'
    return { value: null, raw: null, clipped: false, standardError: null, n, reason }
  }
  const raw = trueRate(rates)
  const value = clip(raw)
  const figures = {
    value,
    raw,
    clipped: raw !== value,
    standardError: Math.sqrt(varianceOf(rates, sizes)),
    n,
  }

  const z = -normalQuantile((1 - level) / 2)
  const added = {
    observed: n + z * z,
    sensitivity: sensitivity.n + 2,
    falsePass: specificity.n + 2,
  }
  const shrunk = {
    observed: (observed.c + (z * z) / 2) / added.observed,
    sensitivity: (sensitivity.c + 1) / added.sensitivity,
    falsePass: (specificity.n - specificity.c + 1) / added.falsePass,
  }
  if (informedness(shrunk) <= 0)
    return { ...figures, reason: 'too few gold labels to say that the judge beats chance' }
  const centre = trueRate(shrunk)
  const { sensitivity: sens, falsePass } = shrunk
  const shift =
    2 *
    z *
    z *
    ((centre * sens * (1 - sens)) / added.sensitivity -
      ((1 - centre) * falsePass * (1 - falsePass)) / added.falsePass)
  const half = z * Math.sqrt(varianceOf(shrunk, added))
  const low = clip(centre + shift - half)
  const high = clip(centre + shift + half)
  if (low === high)
    return { ...figures, reason: 'no true rate fits: the gold labels and these items disagree' }
  const method = 'Lang-Reiczigel'
  return { ...figures, interval: { low, high, level, method, target: 'population' } }
}
