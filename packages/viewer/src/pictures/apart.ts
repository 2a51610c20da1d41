/**
 * Moves values in [0, 1] as little as necessary so that any two are at least a gap apart. It keeps labels
 * from covering each other. If there are too many values for the range, the gap shrinks.
 */
export function apart(values: readonly number[], wanted: number): number[] {
  const gap = Math.min(wanted, 1 / Math.max(1, values.length - 1))
  const order = values
    .map((value, i) => ({ value, i }))
    .sort((a, b) => a.value - b.value || b.i - a.i)
  const placed: number[] = []
  // The first pass goes up and moves each value away from the one below. The second goes down from the top
  // and moves values back into the range.
  for (const { value } of order) placed.push(Math.max(value, (placed.at(-1) ?? -Infinity) + gap))
  for (let at = placed.length - 1; at >= 0; at--)
    placed[at] = Math.min(placed[at] as number, (placed[at + 1] ?? 1 + gap) - gap)
  const moved = Array.from({ length: values.length }, () => 0)
  order.forEach(({ i }, at) => {
    moved[i] = placed[at] as number
  })
  return moved
}
