/** How the cases of two subjects overlap, and how the subjects are therefore compared. */
export interface Overlap {
  readonly as: 'paired' | 'independent'
  readonly shared: number
  /** Cases that only A has, and cases that only B has. A is the baseline of tiers. */
  readonly onlyA: number
  readonly onlyB: number
}

/**
 * Two subjects are compared as independent groups if they share less than half of the cases of the one that has fewer.
 * A subject that ran only a part of the cases is still paired with one that ran all of them.
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

/** Returns the overlap of subjects that share this many cases. */
export function overlapFrom(shared: number, onlyA: number, onlyB: number): Overlap {
  const fewer = shared + Math.min(onlyA, onlyB)
  return { as: shared * 2 < fewer ? 'independent' : 'paired', shared, onlyA, onlyB }
}
