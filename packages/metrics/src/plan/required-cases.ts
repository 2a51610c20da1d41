/**
 * How many cases a comparison needs, and the other way round, what a given number can detect. Both
 * solve
 *
 *   cases · difference² = (z_{1−alpha/2} + z_power)² · (omega² + sA²/KA + sB²/KB)
 *
 * where omega² is the variance of the true per-case differences, s² the variance of a trial about
 * its case and K the trials per case. More trials only shrink the last two terms: once they are
 * below omega², buy cases. The normal quantiles are slightly optimistic below some 30 cases, where
 * t would ask for one to four more.
 *
 * Source: Miller 2024, Adding Error Bars to Evals, section 5.
 */
import { checkBetween, checkInteger, checkNumber } from '../domain.ts'
import { DEFAULT_LEVEL } from '../metric.ts'
import { normalQuantile } from '../special/normal.ts'

/**
 * What the two-sided test asks: its confidence level, 0.95 unless given, and its power, 0.8 unless
 * given.
 */
export interface TestDesign {
  readonly level?: number
  /** Chance to detect a true difference of this size. */
  readonly power?: number
}

/** What the last run, or a guess, says about the noise; `pairedVariance` measures it. */
export interface ComparisonDesign extends TestDesign {
  /** omega²: the variance of the true per-case differences. */
  readonly between: number
  /** Variance of one trial of A, and of B, about its case; p(1 − p) for pass/fail. Default 0. */
  readonly trialVarianceA?: number
  readonly trialVarianceB?: number
  /** Trials per case. Default 1. */
  readonly trialsA?: number
  readonly trialsB?: number
}

const DEFAULT_POWER = 0.8

/** A count computed in floating point that is this close to an integer is that integer. */
const WHOLE_WITHIN = 1e-11

/** The smallest integer not below x, unless x is an integer with rounding on top. */
export const ceilCount = (x: number): number => Math.ceil(x - WHOLE_WITHIN * Math.max(1, x))

/** Variance of one case's observed difference. */
function caseVariance(design: ComparisonDesign): number {
  const { between, trialVarianceA = 0, trialVarianceB = 0, trialsA = 1, trialsB = 1 } = design
  checkNumber('between', between, 0)
  checkNumber('trialVarianceA', trialVarianceA, 0)
  checkNumber('trialVarianceB', trialVarianceB, 0)
  checkInteger('trialsA', trialsA, 1)
  checkInteger('trialsB', trialsB, 1)
  return between + trialVarianceA / trialsA + trialVarianceB / trialsB
}

/** z_{1−alpha/2} + z_power; a power so low that it asks for less than nothing is refused. */
function reach({ level = DEFAULT_LEVEL, power = DEFAULT_POWER }: TestDesign): number {
  checkBetween('level', level, 0, 1)
  checkBetween('power', power, (1 - level) / 2, 1)
  return normalQuantile(power) - normalQuantile((1 - level) / 2)
}

/**
 * The standard error at which a difference of this size is found significant with the given power.
 */
export function standardErrorFor(design: TestDesign & { readonly difference: number }): number {
  return Math.abs(design.difference) / reach(design)
}

/**
 * The number of cases with which a true mean difference of this size is found significant with the
 * given power. Without any variance one case is enough.
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
 * The smallest true mean difference that this many cases find significant with the given power: the
 * inverse of {@link requiredCases}.
 *
 * @example minDetectableEffect({ cases: 20, between: 0.05 }) // 0.1400792609056484
 */
export function minDetectableEffect(design: ComparisonDesign & { readonly cases: number }): number {
  const { cases } = design
  checkInteger('cases', cases, 1)
  return reach(design) * Math.sqrt(caseVariance(design) / cases)
}
