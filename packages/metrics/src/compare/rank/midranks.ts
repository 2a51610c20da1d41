/**
 * Ranks in which equal values share the mean of their positions. The ranks are doubled, so that they
 * are whole numbers and rank sums can be counted exactly.
 */

export interface Midranks {
  /** Twice the rank of each value, in the order given. */
  readonly doubled: readonly number[]
  /** Σ (t³ − t), where t is the size of each group of equal values. Tie corrections use this sum. */
  readonly tieSum: number
}

/**
 * Returns the ranks of the values. Values count as equal if they are within `tolerance` of the smallest value of their
 * group. Use a tolerance of 0 for values that were measured or divided. Use a small tolerance for differences, because
 * subtraction adds rounding errors.
 */
export function midranks(values: readonly number[], tolerance: number = 0): Midranks {
  const order = values.map((value, index) => ({ value, index })).sort((x, y) => x.value - y.value)
  const doubled = Array.from<number>({ length: values.length }).fill(0)
  let tieSum = 0
  for (let start = 0; start < order.length;) {
    const limit = (order[start] as { value: number }).value + tolerance
    let end = start
    while (end < order.length && (order[end] as { value: number }).value <= limit) end++
    for (const { index } of order.slice(start, end)) doubled[index] = start + 1 + end
    const size = end - start
    tieSum += size * (size * size - 1)
    start = end
  }
  return { doubled, tieSum }
}
