/**
 * Computes how many more trials or cases would probably decide a gate that is not decided yet. It assumes that the
 * measured value is the true one. "Probably" means a power of 80 %. The value itself may change with more data, so the
 * interval must exclude the bound with some distance.
 *
 * An interval for exactly these cases gets narrower with more trials. The number of trials is found by a search: the
 * same interval is computed with more trials of the same pass rates and scores. An interval for cases like these gets
 * narrower with more cases. Its width is about proportional to 1/√cases.
 *
 * `options.level` is the level at which the gate must be decided. With several gates, it is higher than the level of
 * the intervals that are shown.
 */
import { normalCdf, normalQuantile, type Bounds } from '@assay/metrics'
import type { GateNeeded } from '../schema/gate-schema.ts'
import {
  estimateOver,
  groupsOf,
  isShare,
  type CaseFigures,
  type EstimateOptions,
} from './estimate.ts'

const POWER = 0.8
/** The maximum number of trials per case. More are not practical. */
const MOST_TRIALS = 100_000
const MOST_CASES = 1_000_000
/** If a value is this close to the bound, it counts as equal to the bound. */
const EQUAL = 1e-9

export interface NeededInput {
  readonly cases: readonly CaseFigures[]
  readonly options: EstimateOptions
  readonly bound: number
  readonly value: number
}

/** Returns what the gate needs. Null if no number of trials or cases would decide it. */
export function neededFor(input: NeededInput): GateNeeded | null {
  const { cases, options, bound, value } = input
  if (Math.abs(value - bound) <= EQUAL) return null
  const { interval } = estimateOver(cases, options)
  if (interval === undefined) return null
  const found =
    interval.target === 'fixed'
      ? { trialsPerCase: moreTrials(cases, options, bound), cases: null }
      : { trialsPerCase: null, cases: moreCases(input, interval) }
  if (found.trialsPerCase === null && found.cases === null) return null
  const scored = cases.filter(({ n }) => n > 0)
  const perCase = scored.reduce((sum, { n }) => sum + n, 0) / scored.length
  const trials =
    found.trialsPerCase !== null
      ? found.trialsPerCase * scored.length
      : Math.ceil((found.cases ?? 0) * perCase)
  const each = meanCost(scored)
  return {
    ...found,
    ...moreGroups(scored, found.cases),
    trials,
    usd: each === null ? null : trials * each,
  }
}

/**
 * Returns a level above `level` for planning with a power of 80 %. If the current interval at this level excludes the
 * bound, then an interval at `level` from new data excludes it with a probability of 80 %.
 */
export function levelWithPower(level: number): number {
  const z = normalQuantile((1 + level) / 2) + normalQuantile(POWER)
  return 2 * normalCdf(z) - 1
}

function moreTrials(
  cases: readonly CaseFigures[],
  options: EstimateOptions,
  bound: number,
): number | null {
  const strict = { ...options, level: levelWithPower(options.level) }
  const decides = (more: number): boolean => {
    const { interval } = estimateOver(withMore(cases, more), strict)
    return interval !== undefined && (interval.low > bound || interval.high < bound)
  }
  let [enough, tooFew] = [1, 0]
  while (!decides(enough)) {
    tooFew = enough
    enough *= 2
    if (enough > MOST_TRIALS) return null
  }
  while (enough - tooFew > 1) {
    const middle = Math.floor((enough + tooFew) / 2)
    if (decides(middle)) enough = middle
    else tooFew = middle
  }
  return enough
}

/**
 * Returns the cases with `more` additional trials each, and the same pass rates and scores. Passes are whole numbers,
 * so they are rounded. The rounding error of one case is added to the next case, so that the mean over the cases stays
 * the same.
 */
function withMore(cases: readonly CaseFigures[], more: number): CaseFigures[] {
  let exact = 0
  let given = 0
  return cases
    .filter(({ n }) => n > 0)
    .map((one) => {
      const n = one.n + more
      exact += (one.c * n) / one.n
      const c = Math.min(n, Math.max(0, Math.round(exact) - given))
      given += c
      const { scores, score, scoreSq } = one.sums
      const factor = scores === 0 ? 0 : (scores + more) / scores
      const sums = { score: score * factor, scoreSq: scoreSq * factor }
      return {
        ...one,
        n,
        c,
        sums: { ...one.sums, ...sums, scores: scores === 0 ? 0 : scores + more },
      }
    })
}

/** Returns how many new groups are needed, if cases form groups. New cases in the same groups would not be enough. */
function moreGroups(
  cases: readonly CaseFigures[],
  more: number | null,
): Pick<GateNeeded, 'groups'> {
  const groups = groupsOf(cases)
  if (more === null || groups === undefined) return {}
  return { groups: Math.ceil((more * new Set(groups).size) / cases.length) }
}

function moreCases({ options, bound, value, cases }: NeededInput, interval: Bounds): number | null {
  const scale = isShare(options.metric) ? (x: number): number => x : Math.log
  const end = value > bound ? interval.low : interval.high
  const [width, room] = [Math.abs(scale(end) - scale(value)), Math.abs(scale(value) - scale(bound))]
  if (!Number.isFinite(width) || !Number.isFinite(room) || room === 0) return null
  const z = normalQuantile((1 + options.level) / 2)
  const wider = (z + normalQuantile(POWER)) / z
  const now = cases.filter(({ n }) => n > 0).length
  const needed = Math.ceil(now * ((width * wider) / room) ** 2) - now
  return needed > MOST_CASES ? null : Math.max(1, needed)
}

/** Returns the mean cost of a trial over cases. Null if a price is unknown, or if everything was free. */
function meanCost(cases: readonly CaseFigures[]): number | null {
  if (cases.some(({ n, sums }) => sums.costs < n)) return null
  const each = cases.reduce((sum, { n, sums }) => sum + sums.costUsd / n, 0) / cases.length
  return each > 0 ? each : null
}
