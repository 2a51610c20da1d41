/**
 * Computes how much more evidence an undecided verdict needs. The interval of the difference must become so narrow that
 * it ends before the limit of the verdict. More cases or more trials of the same cases achieve this. The computation
 * assumes that the observed difference is the true one, and it plans with a power of 80 %.
 */
import { ceilCount, requiredCases, standardErrorFor } from './required-cases.ts'
import { zeroFailureTrials } from './zero-failure-trials.ts'
import type { PairedDifference } from '../compare/paired-difference.ts'
import { checkBetween, checkInteger, checkNumber } from '../domain.ts'

/** What an undecided verdict needs: more cases or more trials. Either of the two alone is enough. */
export interface Needed {
  /**
   * The number of additional cases; null if the difference is exactly on the limit of the verdict,
   * where no number of cases is enough.
   */
  readonly cases: number | null
  /**
   * The number of additional trials of each subject on each case; null if more trials alone cannot be
   * enough, or if the noise of the trials is unknown.
   */
  readonly trialsPerCase: number | null
}

/**
 * The noise of the trials. If it is known, `moreEvidence` can also say how many more trials would
 * be enough.
 */
export interface TrialNoise {
  /** The number of trials of each subject on each case. */
  readonly trialsPerCase: number
  /**
   * The part of the variance of the differences that is trial noise: `pairedVariance(a, b).noise`.
   */
  readonly noise: number
}

/** A verdict needs at least this many cases, or groups of cases. */
export const FEWEST_UNITS = 5

/**
 * Returns how many more cases or trials make the interval of the difference end less than `room`
 * away from the difference. `room` is positive.
 *
 * @example
 * moreEvidence(pairedDifference([0.2, 0.4, 0.6, 0.8, 1], [0.3, 0.4, 0.6, 0.8, 0.9]), 0.05)
 * // { cases: 11, trialsPerCase: null }
 */
export function moreEvidence(paired: PairedDifference, room: number, trials?: TrialNoise): Needed {
  checkBetween('room', room, 0, Infinity)
  if (trials) {
    checkInteger('trialsPerCase', trials.trialsPerCase, 1)
    checkNumber('noise', trials.noise, 0)
  }
  const { n, units, se, interval } = paired
  const casesFor = (wanted: number): number =>
    Math.max(1, ceilCount((Math.max(wanted, FEWEST_UNITS) * n) / units) - n)
  // Without a standard error or an interval, the code can only say how many cases any verdict needs
  // at least.
  if (se === null || !interval) return { cases: casesFor(FEWEST_UNITS), trialsPerCase: null }
  const { level } = interval
  if (se === 0) {
    // All cases have the same difference d. The interval reaches up to (1 + |d|)(1 − s) from d,
    // where s is the smallest plausible share of cases with this difference.
    const unseen = room / (1 + Math.abs(paired.difference))
    return {
      cases: casesFor(unseen < 1 ? zeroFailureTrials(1 - unseen, (1 + level) / 2) : FEWEST_UNITS),
      trialsPerCase: null,
    }
  }
  const wanted = requiredCases({ difference: room, between: se * se * units, level })
  return {
    cases: casesFor(wanted),
    trialsPerCase: trials && units >= FEWEST_UNITS ? moreTrials(paired, room, level, trials) : null,
  }
}

/**
 * Returns how many more trials per case are needed. More trials reduce only the noise of the
 * trials, not the variance between cases. The result is null if the variance between cases alone is
 * too large, or if the trials have no noise.
 */
function moreTrials(
  { n, se }: PairedDifference,
  room: number,
  level: number,
  { trialsPerCase, noise }: TrialNoise,
): number | null {
  const total = (se as number) ** 2
  const ofTrials = Math.min(total, noise / n)
  const allowed = standardErrorFor({ difference: room, level }) ** 2 - (total - ofTrials)
  if (allowed <= 0 || ofTrials === 0) return null
  return Math.max(1, ceilCount(trialsPerCase * (ofTrials / allowed)) - trialsPerCase)
}
