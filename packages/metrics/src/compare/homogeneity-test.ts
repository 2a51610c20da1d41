/**
 * Do several tiers pass equally often? This is one test for all tiers together. Make it before you
 * compare pairs of tiers, because most of the spread between the pass rates of a few runs is
 * chance.
 *
 * The statistic is Pearson's chi-square. For small data, its p-value is exact. The total number of passes is taken as
 * given, and it can be split over the tiers in many ways. The p-value is the total probability of all splits whose
 * statistic is at least as large as the observed one. If counting the splits would take too long, the p-value comes
 * from the chi-square distribution, which is accurate for that many trials.
 *
 * The splits are counted by dynamic programming, one tier after the other. A state is a pair: the passes so far and the
 * statistic so far. For a fixed total number of passes, the statistic grows with the sum of c²/n over the tiers, where
 * a tier has c passes in n trials. Multiplied by the least common multiple of all n, this sum is an integer. So two
 * statistics that are equal compare as exactly equal.
 *
 * The trials must be independent. If every tier ran the same cases, stratifiedHomogeneityTest removes
 * the differences between cases first.
 *
 * Source: Pearson 1900; exact form Freeman and Halton 1951, with the chi-square order.
 */
import { checkCounts, checkLength } from '../domain.ts'
import { fsum, Sum } from '../fsum.ts'
import type { CaseCounts } from '../metric.ts'
import { chiSquareSf } from '../special/chi-square.ts'
import { fromRatios } from './lattice.ts'

export interface Homogeneity {
  /** Pearson's chi-square statistic. It is 0 if all trials passed or all failed. */
  readonly statistic: number
  readonly df: number
  readonly p: number
  readonly method: 'exact' | 'chiSquare'
}

/** The largest number of steps of the exact count. They take about a third of a second. */
const MOST_STEPS = 5e6
/**
 * If a group has more trials than this, the p-value comes from the chi-square distribution, because
 * that is as accurate and faster.
 */
const MOST_TRIALS = 1000

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b)
}

/**
 * Tests whether all groups have the same pass rate. Each group has n trials, of which c passed. If
 * all trials passed, or all failed, p is 1.
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

/**
 * Returns the exact p-value, or null if counting would take too long or if the integers would be
 * too large for a double.
 */
function exactP(groups: readonly CaseCounts[], passes: number): number | null {
  if (groups.some(({ n }) => n > MOST_TRIALS)) return null
  const multiple = groups.reduce((common, { n }) => (common / gcd(common, n)) * n, 1)
  // A state is a pair of the passes and the integer statistic so far. It is stored in one number,
  // passes · span + statistic, which serves as a key of the map.
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
  /** The number of trials in the groups that have not been added yet. */
  readonly left: number
}

/**
 * Combines every state with every possible number of passes c of one more group. Each c is weighted
 * by the binomial coefficient C(n, c), the number of ways in which c of the n trials can pass.
 */
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
