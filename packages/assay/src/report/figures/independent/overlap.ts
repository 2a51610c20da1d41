/** Counts the cases that two subjects share, and decides from this how the two are compared. */
export interface Overlap {
  readonly as: 'paired' | 'independent'
  readonly shared: number
  /** The number of cases that only A has, and the number that only B has. If tiers are compared, A is the baseline. */
  readonly onlyA: number
  readonly onlyB: number
}

/**
 * Counts the shared cases. Two subjects are compared as independent groups if they share less than half of the cases of
 * the subject that has fewer. So a subject that ran only a part of the cases is still paired with one that ran all of
 * them.
 */
export function overlapOf(a: readonly boolean[], b: readonly boolean[]): Overlap {
  let [shared, onlyA, onlyB] = [0, 0, 0]
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    if (a[i] === true && b[i] === true) shared++
    else if (a[i] === true) onlyA++
    else if (b[i] === true) onlyB++
  }
  return overlapFrom(shared, onlyA, onlyB)
}

/** Returns the overlap of two subjects that share this many cases. */
export function overlapFrom(shared: number, onlyA: number, onlyB: number): Overlap {
  const fewer = shared + Math.min(onlyA, onlyB)
  return { as: shared * 2 < fewer ? 'independent' : 'paired', shared, onlyA, onlyB }
}
