/**
 * How flaky a case is: how often it shows its rarer outcome. For a case with pass rate p this is
 * min(p, 1 − p). The document scoring-functions calls a case flaky if it both passed and failed.
 * But of the cases that pass nine times in ten, 59 % show only one outcome in five trials. So this
 * file also computes the interval of the rate, the chance that two more runs disagree, and the
 * chance that n trials show both outcomes.
 */
import { checkCounts, checkInteger, checkLevel, checkNumber } from '../domain.ts'
import { type Bounds, DEFAULT_LEVEL } from '../metric.ts'
import { clopperPearson } from './proportion/clopper-pearson.ts'

/** A case counts as stable if it shows its rarer outcome in at most one of twenty runs. */
export const STABLE_WITHIN = 0.05

export interface Flakiness {
  /**
   * The observed rate of the rarer outcome, min(c, n − c)/n, from 0 to 0.5. On average it is too
   * low if n is small.
   */
  readonly value: number
  /** The interval for the rate of the rarer outcome. */
  readonly interval: Bounds
  /** Whether the trials contain both a pass and a failure. */
  readonly seen: boolean
  /**
   * Whether the whole interval is at most {@link STABLE_WITHIN}. At 95 % this needs at least 72
   * trials with the same outcome.
   */
  readonly provenStable: boolean
}

const unusual = (p: number): number => Math.min(p, 1 - p)

/**
 * Returns the rate of the rarer outcome of a case with c passes in n trials. Its interval follows
 * from the exact interval of the pass rate. After five passes in five trials, a pass rate of 0.478
 * is still possible, so the case is not proven stable.
 *
 * @example flakiness(5, 5) // { value: 0, interval: { low: 0, high: 0.5 }, seen: false, provenStable: false }
 */
export function flakiness(n: number, c: number, level: number = DEFAULT_LEVEL): Flakiness {
  checkCounts(n, c)
  checkLevel(level)
  const { low, high } = clopperPearson(n, c, level)
  const ends = [unusual(low), unusual(high)]
  const most = low <= 0.5 && high >= 0.5 ? 0.5 : Math.max(...ends)
  return {
    value: Math.min(c, n - c) / n,
    interval: { low: Math.min(...ends), high: most },
    seen: c > 0 && c < n,
    provenStable: most <= STABLE_WITHIN,
  }
}

/**
 * Returns an unbiased estimate of the probability that two runs of the case disagree, which is 2c(n
 * − c)/(n(n − 1)). The result is null for a single trial.
 *
 * @example disagreementProbability(5, 4) // 0.4
 */
export function disagreementProbability(n: number, c: number): number | null {
  checkCounts(n, c)
  if (n === 1) return null
  return (2 * (c / n) * (n - c)) / (n - 1)
}

/**
 * Returns the probability that n trials of a case with pass rate p contain both a pass and a
 * failure, which is 1 − p^n − (1 − p)^n.
 *
 * @example flakeDetectionProbability(0.9, 5) // 0.4095
 */
export function flakeDetectionProbability(p: number, n: number): number {
  checkNumber('p', p, 0, 1)
  checkInteger('n', n, 1)
  if (n === 1) return 0
  const rare = unusual(p)
  return -Math.expm1(n * Math.log1p(-rare)) - rare ** n
}
