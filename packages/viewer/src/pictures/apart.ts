/**
 * Values in [0, 1] moved as little as needs be so that any two are a gap apart: labels that would cover
 * each other. Where there are too many for the range, the gap shrinks.
 */
export function apart(values: readonly number[], wanted: number): number[] {
  const gap = Math.min(wanted, 1 / Math.max(1, values.length - 1))
  const order = values
    .map((value, i) => ({ value, i }))
    .sort((a, b) => a.value - b.value || b.i - a.i)
  const placed: number[] = []
  // Upwards each keeps its distance from the one below; downwards from the top they make room again.
  for (const { value } of order) placed.push(Math.max(value, (placed.at(-1) ?? -Infinity) + gap))
  for (let at = placed.length - 1; at >= 0; at--)
    placed[at] = Math.min(placed[at] as number, (placed[at + 1] ?? 1 + gap) - gap)
  const moved = Array.from({ length: values.length }, () => 0)
  order.forEach(({ i }, at) => {
    moved[i] = placed[at] as number
  })
  return moved
}
