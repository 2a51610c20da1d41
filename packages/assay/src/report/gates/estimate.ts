/**
 * Computes the value of a metric over some cases of one subject, with its interval. It needs only the sums that a
 * report has for each case. So a gate can be decided from a report file as well as from a log.
 */
import {
  costOfPassRatio,
  mean,
  meanScoreEstimate,
  pairedDifference,
  passAtKEstimate,
  passHatKEstimate,
  type CaseSums,
  type Metric,
  type Target,
} from '@assay/metrics'
import { groupNames } from '../figures/groups/case-groups.ts'
import type { CaseReport } from '../schema/report.ts'
import type { BoundMetric } from './names.ts'

/** The fields of a case that its metrics are computed from. */
export type CaseFigures = Pick<CaseReport, 'case' | 'group' | 'n' | 'c' | 'meanAnswerMs'> & {
  readonly sums: Pick<CaseReport['sums'], 'scores' | 'score' | 'scoreSq' | 'costs' | 'costUsd'>
}

export interface EstimateOptions {
  readonly metric: BoundMetric
  /** The k of pass@k and pass^k. */
  readonly k: number
  readonly target: Target
  readonly level: number
}

/** Returns the value over those cases that have the data that the metric needs. */
export function estimateOver(
  cases: readonly CaseFigures[],
  { metric, k, target, level }: EstimateOptions,
): Metric {
  const scored = cases.filter(({ n }) => n > 0)
  if (scored.length === 0) return { value: null, n: 0, reason: 'no trial was scored' }
  switch (metric) {
    case 'meanScore': {
      const withScores = scored.filter(({ sums }) => sums.scores > 0)
      if (withScores.length === 0) return { value: null, n: 0, reason: 'no trial has a score' }
      return meanScoreEstimate(withScores.map(scoreSums), target, level, groupsOf(withScores))
    }
    case 'passRate':
      return passHatKEstimate(scored, 1, target, level, groupsOf(scored))
    case 'passAtK':
      return passAtKEstimate(scored, k, target, level, groupsOf(scored))
    case 'passHatK':
      return passHatKEstimate(scored, k, target, level, groupsOf(scored))
    case 'costOfPass':
      return costOfPass(scored, level)
    default:
      return latency(scored, level)
  }
}

/** Returns the group of each case. The interval for cases like these depends on groups, not on single cases. */
export const groupsOf = (cases: readonly CaseFigures[]) =>
  groupNames(cases.map(({ case: id, group }) => ({ id, group })))

/** Whether the metric is on a scale from 0 to 1. The other metrics have no upper bound and are compared as ratios. */
export const isShare = (metric: BoundMetric): boolean =>
  metric !== 'costOfPass' && metric !== 'latency'

/**
 * Returns the sums of a case's scores, limited to the possible range. Rounding can put the sum of many scores slightly
 * outside of it.
 */
export function scoreSums({ sums }: Pick<CaseFigures, 'sums'>): CaseSums {
  const n = sums.scores
  const sum = Math.min(n, Math.max(0, sums.score))
  const least = n === 0 ? 0 : (sum * sum) / n
  return { n, sum, sumSq: Math.min(sum, Math.max(least, sums.scoreSq)) }
}

function costOfPass(cases: readonly CaseFigures[], level: number): Metric {
  const n = cases.length
  // If the cost of some cases is unknown, a total over the other cases would differ from the total in the report. So
  // there is no value.
  if (cases.some((one) => one.sums.costs < one.n))
    return { value: null, n, reason: 'prices are unknown' }
  if (cases.every(({ c }) => c === 0))
    return { value: null, infinite: true, n, reason: 'nothing passed' }
  if (cases.every(({ sums }) => sums.costUsd === 0))
    return { value: 0, n, reason: 'nothing cost anything' }
  return costOfPassRatio(
    cases.map(({ n: trials, c, sums }) => ({ n: trials, c, cost: sums.costUsd })),
    level,
    1,
    groupsOf(cases),
  )
}

function latency(cases: readonly CaseFigures[], level: number): Metric {
  const n = cases.length
  const times = cases.flatMap(({ meanAnswerMs }) => meanAnswerMs ?? [])
  if (times.length < n) return { value: null, n, reason: 'times are unknown' }
  const value = mean(times)
  if (value === 0) return { value, n, reason: 'answers took no time' }
  const logs = logRatioValues(times.map((top) => ({ top, bottom: 1 })))
  const zeros = logs.map(() => 0)
  const { interval } = pairedDifference(zeros, logs, level, groupsOf(cases), 'any')
  if (interval === null) return { value, n, reason: 'all cases agree: no spread was seen' }
  const [low, high] = [Math.exp(interval.low), Math.exp(interval.high)]
  return { value, n, interval: { ...interval, low, high } }
}

/** What one case adds to the numerator (`top`) and the denominator (`bottom`) of a ratio of two sums over all cases. */
export interface RatioPart {
  readonly top: number
  readonly bottom: number
}

/**
 * Returns one value per case: the logarithm of the ratio of totals, plus the influence of the case on it. (The
 * influence is a first-order linearisation, as in `costOfPassRatio`.) The mean of these values is the logarithm itself.
 * With m cases, their variance is m times the variance of the logarithm.
 */
export function logRatioValues(parts: readonly RatioPart[]): readonly number[] {
  const top = mean(parts.map((part) => part.top))
  const bottom = mean(parts.map((part) => part.bottom))
  const log = Math.log(top / bottom)
  return parts.map((part) => log + part.top / top - part.bottom / bottom)
}
