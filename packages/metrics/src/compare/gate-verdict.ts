/**
 * A gate that says how sure it is. A bare threshold on "any case drops by more than 5 points"
 * raises an alarm on 99.7 % of unchanged suites of 20 cases with 5 trials; this one asks for
 * evidence in both directions and otherwise says that there is not enough, and how much more would
 * be.
 *
 * With the interval of the difference B − A and the margin that counts as a regression:
 *   regression     the whole interval is below 0 and the drop is larger than the margin
 *   improvement    the whole interval is above 0 and the gain is larger than the margin
 *   noRegression   the whole interval is above −margin
 *   inconclusive   anything else, and always below five cases
 * Differences are compared with the margin as decimals (1e-9), so that 1 → 0.95 is not more than
 * 0.05.
 *
 * "How much more" is planned for the verdict the observed difference points to, were it the truth,
 * with a power of 80 %: the nearer the difference is to the edge of that verdict, the more it
 * takes.
 */
import { checkInteger, checkNumber } from '../domain.ts'
import type { Interval } from '../metric.ts'
import { ceilCount, requiredCases, standardErrorFor } from '../plan/required-cases.ts'
import { zeroFailureTrials } from '../plan/zero-failure-trials.ts'
import type { PairedDifference } from './paired-difference.ts'

export type Verdict = 'regression' | 'improvement' | 'noRegression' | 'inconclusive'

export interface GateVerdict {
  readonly verdict: Verdict
  readonly reason: string
  readonly difference: number
  readonly interval: Interval | null
  readonly margin: number
  /** What would settle an inconclusive verdict; null for every other. */
  readonly needed: Needed | null
}

/** Either of the two is enough. */
export interface Needed {
  /** More cases like these; null where the difference sits on the edge and no number would do. */
  readonly cases: number | null
  /**
   * More trials of each subject on each of these cases; null where trials alone cannot, or their
   * noise is not known.
   */
  readonly trialsPerCase: number | null
}

/** What the trials contribute, so that a verdict can be bought with trials instead of cases. */
export interface TrialNoise {
  /** Trials of each subject on each case. */
  readonly trialsPerCase: number
  /**
   * The part of the variance of the differences that is trial noise: `pairedVariance(a, b).noise`.
   */
  readonly noise: number
}

const FEWEST_UNITS = 5
const DECIMAL = 1e-9

const REASONS: Record<Exclude<Verdict, 'inconclusive'>, string> = {
  regression: 'the whole interval is below 0 and the drop is larger than the margin',
  improvement: 'the whole interval is above 0 and the gain is larger than the margin',
  noRegression: 'the whole interval is above minus the margin',
}

/**
 * The verdict on a paired difference at a margin of 0 or more. With `trials` an inconclusive
 * verdict also says how many more trials per case would do.
 *
 * @example
 * const same = pairedDifference([0.2, 0.4, 0.6, 0.8, 1], [0.2, 0.4, 0.6, 0.8, 1])
 * gateVerdict(same, 0.05).needed // { cases: 54, trialsPerCase: null }
 */
export function gateVerdict(
  difference: PairedDifference,
  margin: number,
  trials?: TrialNoise,
): GateVerdict {
  checkNumber('margin', margin, 0)
  if (trials) {
    checkInteger('trialsPerCase', trials.trialsPerCase, 1)
    checkNumber('noise', trials.noise, 0)
  }
  const common = { difference: difference.difference, interval: difference.interval, margin }
  const proven = difference.units < FEWEST_UNITS ? null : provenVerdict(difference, margin)
  if (proven) return { verdict: proven, reason: REASONS[proven], ...common, needed: null }
  return {
    verdict: 'inconclusive',
    reason: whyInconclusive(difference),
    ...common,
    needed: needed(difference, margin, trials),
  }
}

function provenVerdict(
  { difference, interval }: PairedDifference,
  margin: number,
): Exclude<Verdict, 'inconclusive'> | null {
  if (!interval) return null
  if (interval.high < 0 && difference < -margin - DECIMAL) return 'regression'
  if (interval.low > 0 && difference > margin + DECIMAL) return 'improvement'
  return interval.low > -margin ? 'noRegression' : null
}

function whyInconclusive({ units, interval }: PairedDifference): string {
  if (units < FEWEST_UNITS) return `fewer than ${FEWEST_UNITS} independent cases`
  if (!interval) return 'all cases agree, on a scale without bounds'
  return 'the interval reaches below minus the margin and does not prove a regression'
}

function needed(paired: PairedDifference, margin: number, trials?: TrialNoise): Needed {
  const { n, units, se, interval } = paired
  const room = roomFor(paired.difference, margin)
  if (room === null) return { cases: null, trialsPerCase: null }
  const casesFor = (wanted: number): number =>
    Math.max(1, ceilCount((Math.max(wanted, FEWEST_UNITS) * n) / units) - n)
  // Without a spread nothing can be planned but the fewest cases that any verdict takes.
  if (se === null || !interval) return { cases: casesFor(FEWEST_UNITS), trialsPerCase: null }
  const { level } = interval
  if (se === 0)
    return {
      cases: casesFor(room < 1 ? zeroFailureTrials(1 - room, level) : FEWEST_UNITS),
      trialsPerCase: null,
    }
  const wanted = requiredCases({ difference: room, between: se * se * units, level })
  return {
    cases: casesFor(wanted),
    trialsPerCase: trials && units >= FEWEST_UNITS ? moreTrials(paired, room, level, trials) : null,
  }
}

/**
 * How far the interval may reach from the difference and still prove what the difference points to.
 */
function roomFor(difference: number, margin: number): number | null {
  if (difference < -margin - DECIMAL) return -difference
  const room = difference + margin
  return room > DECIMAL ? room : null
}

/**
 * Trials divide only their own noise; what the cases themselves add to the variance of the mean
 * remains.
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
