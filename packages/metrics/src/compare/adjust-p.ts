/**
 * Corrects p-values for the number of tests. Among 20 unchanged cases tested at 5 %, one is flagged
 * on average, so a list of tests should never be shown without this correction.
 *
 * `holm` limits the probability that at least one unchanged case is flagged. Use `holm` for a few
 * gates that were declared beforehand. `bh` limits the expected share of false flags among all
 * flags. Use `bh` for lists of cases. `by` also limits that share, and it allows any dependence
 * between the m tests, but its p-values are larger by the factor 1 + 1/2 + ... + 1/m. Use `by` for
 * cases that share templates.
 *
 * Source: Holm 1979; Benjamini and Hochberg 1995; Benjamini and Yekutieli 2001.
 */
import { checkNumber } from '../domain.ts'
import { fsum } from '../fsum.ts'

export type Adjustment = 'holm' | 'bh' | 'by'

interface Ordered {
  readonly p: number
  readonly index: number
}

/** Adjusts from the smallest p to the largest (step down). No result is below the one before it. */
function holm(ascending: readonly Ordered[]): readonly number[] {
  let floor = 0
  return ascending.map(({ p }, i) => {
    floor = Math.max(floor, Math.min(1, p * (ascending.length - i)))
    return floor
  })
}

/** Adjusts from the largest p to the smallest (step up). No result is above the one before it. */
function stepUp(ascending: readonly Ordered[], factor: number): readonly number[] {
  let ceiling = 1
  return ascending
    .map(({ p }, i) => (p * factor * ascending.length) / (i + 1))
    .toReversed()
    .map((p) => {
      ceiling = Math.min(ceiling, p)
      return ceiling
    })
    .toReversed()
}

function adjusted(ascending: readonly Ordered[], method: Adjustment): readonly number[] {
  switch (method) {
    case 'holm':
      return holm(ascending)
    case 'bh':
      return stepUp(ascending, 1)
    case 'by':
      return stepUp(ascending, fsum(ascending.map((_, i) => 1 / (i + 1))))
    default:
      throw new RangeError(`method must be holm, bh or by, got ${JSON.stringify(method)}`)
  }
}

/**
 * Returns the adjusted p-values, in the order given. Compare each with alpha, the error rate that
 * you accept, as if it were the only test. An empty list gives an empty list.
 *
 * @example adjustP([0.01, 0.04, 0.03], 'holm') // [0.03, 0.06, 0.06]
 */
export function adjustP(p: readonly number[], method: Adjustment): readonly number[] {
  for (const value of p) checkNumber('p', value, 0, 1)
  const ascending = p.map((value, index) => ({ p: value, index })).sort((a, b) => a.p - b.p)
  const values = adjusted(ascending, method)
  const result = Array.from<number>({ length: p.length })
  for (const [i, { index }] of ascending.entries()) result[index] = values[i] as number
  return result
}
