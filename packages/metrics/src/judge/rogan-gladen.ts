/**
 * The pass rate behind a judge who errs. A judge who passes a share `sens` of what is good and a
 * share 1 − spec of what is not shows a rate p = π·sens + (1 − π)(1 − spec); solved for the true
 * rate π that is Rogan and Gladen's estimator, (p + spec − 1)/(sens + spec − 1). Sensitivity and
 * specificity come from items with gold labels, so they are estimates too, and their uncertainty
 * belongs into the result.
 *
 * `standardError` is the first-order one, propagated from the three independent counts. It is 0 or
 * far too small near 0 and 1 and for flawless judges, so the interval is Lang and Reiczigel's: the
 * same propagation after adding z²/2 observations of each kind to the rate and one to sensitivity
 * and specificity, with a shift of the centre.
 *
 * Source: Rogan and Gladen 1978 (Am. J. Epidemiol. 107); Lang and Reiczigel 2014 (Prev. Vet. Med.
 * 113).
 */
import { checkBetween, checkCounts } from '../domain.ts'
import { type CaseCounts, DEFAULT_LEVEL, type Metric } from '../metric.ts'
import { normalQuantile } from '../special/normal.ts'

export interface CorrectedRate extends Metric {
  /** Before it was cut to [0, 1]; null where the judge does no better than chance. */
  readonly raw: number | null
  /**
   * The raw value lay outside [0, 1]: fewer or more passes than the judge's errors alone would
   * show.
   */
  readonly clipped: boolean
  readonly standardError: number | null
}

interface Rates {
  readonly observed: number
  readonly sensitivity: number
  /** 1 − specificity: the share of what is not good that passes all the same. */
  readonly falsePass: number
}

/** sens + spec − 1: how far the judge is from guessing. */
const informedness = ({ sensitivity, falsePass }: Rates): number => sensitivity - falsePass

const trueRate = (rates: Rates): number => (rates.observed - rates.falsePass) / informedness(rates)

/** Variance of the true rate, from binomial counts of these sizes. */
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
 * The true pass rate behind an imperfect judge: `observed` is n items of which the judge passed c;
 * `sensitivity` n items that are good by gold labels, c of them passed; `specificity` n items that
 * are not, c of them failed. Null where sensitivity + specificity is at most 1: such a judge says
 * nothing. Items count as independent of each other.
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
  checkBetween('level', level, 0, 1)
  const n = observed.n
  const sizes = { observed: n, sensitivity: sensitivity.n, falsePass: specificity.n }
  const rates = {
    observed: observed.c / n,
    sensitivity: sensitivity.c / sensitivity.n,
    falsePass: (specificity.n - specificity.c) / specificity.n,
  }
  // In whole numbers: 7/10 and 1 − 3/10 are not the same double.
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
