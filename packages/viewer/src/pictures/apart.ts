/**
 * Moves values in [0, 1] so that any two are at least `wanted` apart. Other values stay in place. The charts use
 * this function so that labels do not cover each other. If there are too many values for the range, the distance
 * becomes smaller.
 */
export function apart(values: readonly number[], wanted: number): number[] {
  const gap = Math.min(wanted, 1 / Math.max(1, values.length - 1))
  const order = values
    .map((value, i) => ({ value, i }))
    .sort((a, b) => a.value - b.value || b.i - a.i)
  const placed: number[] = []
  // The first pass moves each value up, away from the one below it. The second pass starts at the top and
  // moves values down, so that all are in the range again.
  for (const { value } of order) placed.push(Math.max(value, (placed.at(-1) ?? -Infinity) + gap))
  for (let at = placed.length - 1; at >= 0; at--)
    placed[at] = Math.min(placed[at] as number, (placed[at + 1] ?? 1 + gap) - gap)
  const moved = Array.from({ length: values.length }, () => 0)
  order.forEach(({ i }, at) => {
    moved[i] = placed[at] as number
  })
  return moved
}
