/**
 * From the grades of a trial to its score and verdict. A required grade that failed makes the score 0 and
 * the verdict failed; otherwise the score is the weighted mean of the grades that have one, and the
 * verdict is the threshold's, or without a threshold that every grade with a verdict passed.
 */
import { fsum } from '@assay/metrics'
import type { Grade } from '@assay/contract'

export interface TrialScore {
  /** In [0, 1]; null where no grade has a score, or none with a score has a weight. */
  readonly score: number | null
  /** Null where nothing decides: no threshold and only advice, or a threshold and no score. */
  readonly passed: boolean | null
}

/** Decimal thresholds and scores went through binary: 0.7 of three times 0.7 must not fail by rounding. */
const TOLERANCE = 1e-9

export function scoreTrial(grades: readonly Grade[], threshold: number | null): TrialScore {
  if (grades.some(({ required, passed }) => required === true && passed === false))
    return { score: 0, passed: false }
  const score = weightedMean(grades)
  if (threshold === null) return { score, passed: verdict(grades) }
  return { score, passed: score === null ? null : score >= threshold - TOLERANCE }
}

/**
 * What the judges of a trial made of its answer: the weighted score of their grades, weighted alike where
 * the case gives them no weight in its own score. Null where no judge was asked.
 */
export function implRateOf(grades: readonly Grade[]): number | null {
  const judged = grades.filter(({ type }) => type === 'judge')
  return weightedMean(judged) ?? weightedMean(judged.map((grade) => ({ ...grade, weight: 1 })))
}

/** By exact sums, so that the order of the grades does not matter. */
function weightedMean(grades: readonly Grade[]): number | null {
  const weights: number[] = []
  const weighted: number[] = []
  for (const { score, weight } of grades) {
    if (score === null) continue
    weights.push(weight)
    weighted.push(weight * score)
  }
  const total = fsum(weights)
  return total > 0 ? fsum(weighted) / total : null
}

function verdict(grades: readonly Grade[]): boolean | null {
  const verdicts = grades.filter(({ passed }) => passed !== null)
  return verdicts.length === 0 ? null : verdicts.every(({ passed }) => passed === true)
}
