/**
 * How many cases a comparison needs to detect a difference, and which difference a given number of
 * cases can detect. Both are solutions of
 *
 *   cases · difference² = (z_{1−alpha/2} + z_power)² · (omega² + sA²/KA + sB²/KB)
 *
 * where z_q is the value that a standard normal variable stays below with probability q, alpha is 1
 * − level, omega² is the variance of the true per-case differences, s² the variance of a trial
 * around the mean of its case, and K the number of trials per case. More trials reduce only the
 * last two terms. If these are already below omega², more cases help more. The normal quantiles are
 * slightly optimistic below about 30 cases; t quantiles would require one to four more cases.
 *
 * Source: Miller 2024, Adding Error Bars to Evals, section 5.
 */
import { checkBetween, checkInteger, checkLevel, checkNumber } from '../domain.ts'
import { DEFAULT_LEVEL } from '../metric.ts'
import { normalQuantile } from '../special/normal.ts'

/**
 * The two-sided test: its confidence level (default 0.95) and its power (default 0.8).
 */
export interface TestDesign {
  readonly level?: number
  /** The probability that the test detects a true difference of the planned size. */
  readonly power?: number
}

/** The variances to plan with, from an earlier run (see `pairedVariance`) or a guess. */
export interface ComparisonDesign extends TestDesign {
  /** omega²: the variance of the true per-case differences. */
  readonly between: number
  /**
   * The variance of one trial of A around the mean of its case. For pass/fail trials with pass rate
   * p it is p(1 − p). Default 0.
   */
  readonly trialVarianceA?: number
  readonly trialVarianceB?: number
  /** The number of trials of A per case. Default 1. */
  readonly trialsA?: number
  readonly trialsB?: number
}

const DEFAULT_POWER = 0.8

/** A computed count that is this close to an integer counts as that integer. */
const WHOLE_WITHIN = 1e-11

/**
 * Rounds x up to an integer. If x is above an integer only by rounding error, the result is that
 * integer.
 */
export const ceilCount = (x: number): number => Math.ceil(x - WHOLE_WITHIN * Math.max(1, x))

/** Returns the variance of the observed difference of one case. */
function caseVariance(design: ComparisonDesign): number {
  const { between, trialVarianceA = 0, trialVarianceB = 0, trialsA = 1, trialsB = 1 } = design
  checkNumber('between', between, 0)
  checkNumber('trialVarianceA', trialVarianceA, 0)
  checkNumber('trialVarianceB', trialVarianceB, 0)
  checkInteger('trialsA', trialsA, 1)
  checkInteger('trialsB', trialsB, 1)
  return between + trialVarianceA / trialsA + trialVarianceB / trialsB
}

/**
 * Returns z_{1−alpha/2} + z_power, the distance from 0 in standard errors that a detectable
 * difference has. It throws if the power is so low that this sum is not positive.
 */
function reach({ level = DEFAULT_LEVEL, power = DEFAULT_POWER }: TestDesign): number {
  checkLevel(level)
  checkBetween('power', power, (1 - level) / 2, 1)
  return normalQuantile(power) - normalQuantile((1 - level) / 2)
}

/**
 * Returns the standard error that a comparison must have to detect a difference of this size with
 * the given power.
 */
export function standardErrorFor(design: TestDesign & { readonly difference: number }): number {
  return Math.abs(design.difference) / reach(design)
}

/**
 * Returns the number of cases that are needed to detect a true mean difference of this size with
 * the given power. If there is no variance, one case is enough.
 *
 * @example requiredCases({ difference: 0.05, between: 0.05 }) // 157
 */
export function requiredCases(design: ComparisonDesign & { readonly difference: number }): number {
  const { difference } = design
  checkNumber('difference', difference)
  if (difference === 0)
    throw new RangeError('difference must not be 0: no number of cases can detect it')
  return Math.max(1, ceilCount(caseVariance(design) * (reach(design) / difference) ** 2))
}

/**
 * Returns the smallest true mean difference that the given number of cases detects with the given
 * power. This is the inverse of {@link requiredCases}.
 *
 * @example minDetectableEffect({ cases: 20, between: 0.05 }) // 0.1400792609056484
 */
export function minDetectableEffect(design: ComparisonDesign & { readonly cases: number }): number {
  const { cases } = design
  checkInteger('cases', cases, 1)
  return reach(design) * Math.sqrt(caseVariance(design) / cases)
}
