/**
 * How flaky a case is: how often it does what it usually does not, min(p, 1 − p). The documents call a
 * case flaky when it both passed and failed, which five trials miss for 59 % of the cases that pass nine
 * times in ten; so here stands what the trials allow, what two more runs would show, and how many trials
 * it takes to notice.
 */
import { checkBetween, checkCounts, checkInteger, checkNumber } from '../domain.ts'
import { type Bounds, DEFAULT_LEVEL } from '../metric.ts'
import { clopperPearson } from './proportion/clopper-pearson.ts'

/** A case that does the unusual in at most one run of twenty counts as stable. */
export const STABLE_WITHIN = 0.05

export interface Flakiness {
  /** min(c, n − c)/n, from 0 to 0.5; too low on average when n is small. */
  readonly value: number
  /** The rates of the unusual outcome that c of n leaves possible. */
  readonly interval: Bounds
  /** Both outcomes were seen. */
  readonly seen: boolean
  /** The whole interval is at most {@link STABLE_WITHIN}; 72 equal trials are the least that show it at 95 %. */
  readonly provenStable: boolean
}

const unusual = (p: number): number => Math.min(p, 1 - p)

/**
 * Rate of the unusual outcome of a case, c of n trials passed, with the exact interval of its pass rate
 * carried over. Five passes of five allow a pass rate of 0.478, so they do not prove it stable.
 *
 * @example flakiness(5, 5) // { value: 0, interval: { low: 0, high: 0.5 }, seen: false, provenStable: false }
 */
export function flakiness(n: number, c: number, level: number = DEFAULT_LEVEL): Flakiness {
  checkCounts(n, c)
  checkBetween('level', level, 0, 1)
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
 * Chance that two runs of the case disagree, estimated without bias: 2c(n − c)/(n(n − 1)). Null for one
 * trial, which cannot disagree with itself.
 *
 * @example disagreementProbability(5, 4) // 0.4
 */
export function disagreementProbability(n: number, c: number): number | null {
  checkCounts(n, c)
  if (n === 1) return null
  return (2 * (c / n) * (n - c)) / (n - 1)
}

/**
 * Chance that n trials of a case with pass rate p show both outcomes: 1 − p^n − (1 − p)^n.
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
