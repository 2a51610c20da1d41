/**
 * A regression gate that takes uncertainty into account. The rule "any case drops by more than 5
 * points" raises an alarm on 99.7 % of unchanged suites of 20 cases with 5 trials. This gate needs
 * evidence both to report a change and to report that there is no regression. Without enough evidence
 * it is inconclusive and says how many more cases or trials are needed.
 *
 * The verdict follows from the difference B − A of the mean scores of subjects B and A, from its
 * interval, and from the margin. A drop counts as a regression only if it is larger than the margin.
 *   regression     the whole interval is below 0 and the drop is larger than the margin
 *   improvement    the whole interval is above 0 and the gain is larger than the margin
 *   noRegression   the whole interval is above −margin
 *   inconclusive   anything else, and always below five cases
 * Differences within 1e-9 of the margin count as equal to the margin. So a change from 1 to 0.95 is
 * not larger than 0.05, although binary arithmetic gives slightly more than 0.05.
 *
 * The number of cases or trials needed is computed for the verdict that the observed difference
 * points to. It assumes that this difference is the true one and that the power is 80 %. The closer
 * the difference is to the limit of that verdict, the more cases or trials are needed.
 */
import { checkInteger, checkNumber } from '../domain.ts'
import type { Interval } from '../metric.ts'
import { FEWEST_UNITS, moreEvidence, type Needed, type TrialNoise } from '../plan/more-evidence.ts'
import type { PairedDifference } from './paired-difference.ts'

export type Verdict = 'regression' | 'improvement' | 'noRegression' | 'inconclusive'

export interface GateVerdict {
  readonly verdict: Verdict
  readonly reason: string
  readonly difference: number
  readonly interval: Interval | null
  readonly margin: number
  /**
   * How many more cases or trials would make an inconclusive verdict conclusive. It is null for all
   * other verdicts.
   */
  readonly needed: Needed | null
}

const DECIMAL = 1e-9

const REASONS: Record<Exclude<Verdict, 'inconclusive'>, string> = {
  regression: 'the whole interval is below 0 and the drop is larger than the margin',
  improvement: 'the whole interval is above 0 and the gain is larger than the margin',
  noRegression: 'the whole interval is above minus the margin',
}

/**
 * Returns the verdict on a paired difference. `margin` is 0 or more. If `trials` is given, an
 * inconclusive verdict also says how many more trials per case would be enough.
 *
 * @example
 * const same = pairedDifference([0.2, 0.4, 0.6, 0.8, 1], [0.2, 0.4, 0.6, 0.8, 1])
 * gateVerdict(same, 0.05).needed // { cases: 67, trialsPerCase: null }
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

function whyInconclusive({ n, units, interval }: PairedDifference): string {
  if (units < FEWEST_UNITS)
    return `fewer than ${FEWEST_UNITS} independent ${units < n ? 'groups of cases' : 'cases'}`
  if (!interval) return 'all cases agree, on a scale without bounds'
  return 'the interval reaches below minus the margin and does not prove a regression'
}

function needed(paired: PairedDifference, margin: number, trials?: TrialNoise): Needed {
  const room = roomFor(paired.difference, margin)
  if (room === null) return { cases: null, trialsPerCase: null }
  return moreEvidence(paired, room, trials)
}

/**
 * Returns how far the interval may extend from the difference towards the limit of the expected verdict. If it extended
 * further, the verdict would be inconclusive. Null if the drop equals the margin, because no amount of data then
 * decides.
 */
function roomFor(difference: number, margin: number): number | null {
  if (difference < -margin - DECIMAL) return -difference
  const room = difference + margin
  return room > DECIMAL ? room : null
}
