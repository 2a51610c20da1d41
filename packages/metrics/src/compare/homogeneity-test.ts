/**
 * Do several tiers pass equally often? One test for all of them, before any pair is compared: the
 * spread of medians or pass rates that a handful of runs shows is mostly coin flips.
 *
 * Pearson's chi-square, with its exact p-value where that can be counted: given the total of
 * passes, the passes of the tiers are multivariate hypergeometric, and all splits with a statistic
 * at least as large are added up by a dynamic programme over (passes so far, statistic so far). For
 * a fixed total the statistic is a rising function of Σ c²/n, an integer once multiplied by the
 * least common multiple of the n, so ties are exact. Beyond the budget the chi-square distribution
 * serves, by then with enough trials.
 *
 * The trials are taken as independent. Where every tier ran the same cases,
 * stratifiedHomogeneityTest removes the differences between cases first.
 *
 * Source: Pearson 1900; exact form Freeman and Halton 1951, with the chi-square order.
 */
import { checkCounts, checkLength } from '../domain.ts'
import { fsum, Sum } from '../fsum.ts'
import type { CaseCounts } from '../metric.ts'
import { chiSquareSf } from '../special/chi-square.ts'
import { fromRatios } from './lattice.ts'

export interface Homogeneity {
  /** Pearson's X²; 0 where all trials passed or all failed. */
  readonly statistic: number
  readonly df: number
  readonly p: number
  readonly method: 'exact' | 'chiSquare'
}

/** About a third of a second. */
const MOST_STEPS = 5e6
/**
 * Beyond this many trials in a group the binomials are not worth counting; chi-square is as good.
 */
const MOST_TRIALS = 1000

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b)
}

/**
 * Test of one pass rate for all groups, each n trials of which c passed. Where all trials passed,
 * or all failed, p is 1.
 *
 * @example homogeneityTest([{ n: 5, c: 5 }, { n: 5, c: 0 }]).p // 0.007936507936507936 = 2/252
 */
export function homogeneityTest(groups: readonly CaseCounts[]): Homogeneity {
  checkLength('groups', groups, 2)
  for (const { n, c } of groups) checkCounts(n, c)
  const trials = fsum(groups.map(({ n }) => n))
  const passes = fsum(groups.map(({ c }) => c))
  const df = groups.length - 1
  if (passes === 0 || passes === trials) return { statistic: 0, df, p: 1, method: 'exact' }
  const rate = passes / trials
  const squares = fsum(groups.map(({ n, c }) => (c - n * rate) ** 2 / n))
  const statistic = squares / (rate * (1 - rate))
  const exact = exactP(groups, passes)
  return exact === null
    ? { statistic, df, p: chiSquareSf(statistic, df), method: 'chiSquare' }
    : { statistic, df, p: exact, method: 'exact' }
}

/** Null where the count would take too long or the statistic is no safe integer. */
function exactP(groups: readonly CaseCounts[], passes: number): number | null {
  if (groups.some(({ n }) => n > MOST_TRIALS)) return null
  const multiple = groups.reduce((common, { n }) => (common / gcd(common, n)) * n, 1)
  // A state is (passes, statistic) in one number: passes · span + statistic.
  const span = multiple * passes * passes + 1
  if (span * (passes + 1) > Number.MAX_SAFE_INTEGER) return null

  let states = new Map<number, number>([[0, 1]])
  let left = fsum(groups.map(({ n }) => n))
  let steps = 0
  for (const { n } of groups.toSorted((a, b) => a.n - b.n)) {
    left -= n
    steps += states.size * (n + 1)
    if (steps > MOST_STEPS) return null
    states = addGroup(states, n, { multiple, span, passes, left })
  }
  const observed = groups.reduce((sum, { n, c }) => sum + (multiple / n) * c * c, 0)
  const all = new Sum()
  const extreme = new Sum()
  for (const [state, weight] of states) {
    all.add(weight)
    if (state % span >= observed) extreme.add(weight)
  }
  return extreme.value / all.value
}

interface Frame {
  readonly multiple: number
  readonly span: number
  readonly passes: number
  /** Trials in the groups still to come. */
  readonly left: number
}

/** Every state with every number of passes of one more group, weighted by C(n, c). */
function addGroup(
  states: ReadonlyMap<number, number>,
  n: number,
  { multiple, span, passes, left }: Frame,
): Map<number, number> {
  const { weights } = fromRatios(0, n, Math.floor(n / 2), (k) => (n - k) / (k + 1))
  const peak = weights[Math.floor(n / 2)] as number
  const next = new Map<number, number>()
  for (const [state, weight] of states) {
    const soFar = Math.floor(state / span)
    const least = Math.max(0, passes - soFar - left)
    const most = Math.min(n, passes - soFar)
    for (let c = least; c <= most; c++) {
      const key = state + c * span + (multiple / n) * c * c
      next.set(key, (next.get(key) ?? 0) + weight * ((weights[c] as number) / peak))
    }
  }
  return next
}
