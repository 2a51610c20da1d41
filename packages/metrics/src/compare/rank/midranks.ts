/**
 * Ranks with ties shared: equal values all get the mean of the places they fill. Doubled, so that
 * the halves are whole numbers and rank sums can be counted exactly.
 */

export interface Midranks {
  /** Twice the rank of each value, in the order given. */
  readonly doubled: readonly number[]
  /** Σ (t³ − t) over the groups of t equal values: what every tie correction needs. */
  readonly tieSum: number
}

/**
 * Values within `tolerance` of the smallest of a group count as equal to it. Values that were
 * measured or divided want 0; differences, which carry the rounding of a subtraction, want a
 * little.
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
