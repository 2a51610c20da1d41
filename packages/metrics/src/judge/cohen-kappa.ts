/**
 * Cohen's kappa: how far do two judges agree beyond what their own habits would bring about? Unlike
 * alpha it lets each judge have a distribution of his own. Weighted kappa counts near misses by how
 * near they are: linearly or with the square of the distance between the values themselves, so that
 * an unused value in the middle of a scale does not draw its neighbours together.
 *
 * The interval is the large-sample one of Fleiss, Cohen and Everitt 1969 (the variance under
 * agreement, not the one under chance alone), with the normal quantile.
 */
import { checkBetween, checkLength, checkNumber, checkSameLength } from '../domain.ts'
import { Sum } from '../fsum.ts'
import { DEFAULT_LEVEL, type Metric } from '../metric.ts'
import { normalQuantile } from '../special/normal.ts'

export type KappaWeights = 'none' | 'linear' | 'quadratic'

/** How much two different values disagree, up to a factor. */
function disagreement(x: number, y: number, weights: KappaWeights): number {
  if (weights === 'none') return x === y ? 0 : 1
  return weights === 'linear' ? Math.abs(x - y) : (x - y) ** 2
}

const tally = (list: readonly number[]): Map<number, number> => {
  const counts = new Map<number, number>()
  for (const value of list) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

/**
 * Kappa of two judges who rated the same items, `a[i]` and `b[i]` being item i. Null where both
 * gave every item the same one value: chance alone then agrees fully. No interval, and the reason,
 * where no disagreement was seen.
 *
 * @example cohenKappa([1, 1, 0, 0], [1, 1, 0, 1]).value // 0.5
 */
export function cohenKappa(
  a: readonly number[],
  b: readonly number[],
  weights: KappaWeights = 'none',
  level: number = DEFAULT_LEVEL,
): Metric {
  checkLength('a', a)
  checkSameLength('a', a, 'b', b)
  for (const value of a) checkNumber('a', value)
  for (const value of b) checkNumber('b', value)
  checkBetween('level', level, 0, 1)
  const n = a.length
  const byA = tally(a)
  const byB = tally(b)

  /** Mean disagreement of a value with the other judge's values, drawn as that judge gives them. */
  const habit = (value: number, other: Map<number, number>): number => {
    const sum = new Sum()
    for (const [y, count] of other) sum.add(count * disagreement(value, y, weights))
    return sum.value / n
  }
  const habitOfA = new Map(Array.from(byB.keys(), (y) => [y, habit(y, byA)]))
  const habitOfB = new Map(Array.from(byA.keys(), (x) => [x, habit(x, byB)]))

  const observedSum = new Sum()
  for (const [i, x] of a.entries()) observedSum.add(disagreement(x, b[i] as number, weights))
  const expectedSum = new Sum()
  for (const [x, count] of byA) expectedSum.add(count * (habitOfB.get(x) as number))
  const observed = observedSum.value / n
  const expected = expectedSum.value / n
  if (expected === 0) return { value: null, reason: 'both judges gave all items the same value', n }
  const value = 1 - observed / expected
  if (observed === 0) return { value, reason: 'the judges never disagreed: no spread was seen', n }

  // Kappa is 1 less a ratio of means, so it varies as the mean over items of the disagreement less
  // what kappa leaves of the two habits does.
  const share = observed / expected
  const squares = new Sum()
  for (const [i, x] of a.entries()) {
    const y = b[i] as number
    const habits = (habitOfB.get(x) as number) + (habitOfA.get(y) as number)
    squares.add((disagreement(x, y, weights) - share * habits + observed) ** 2)
  }
  const se = Math.sqrt(squares.value / n / n) / expected
  if (se <= 1e-12)
    return { value, reason: 'the disagreement is the same in all items: no spread was seen', n }
  const half = -normalQuantile((1 - level) / 2) * se
  return {
    value,
    n,
    interval: {
      low: Math.max(-1, value - half),
      high: Math.min(1, value + half),
      level,
      method: 'Fleiss-Cohen-Everitt, normal',
      target: 'population',
    },
  }
}
