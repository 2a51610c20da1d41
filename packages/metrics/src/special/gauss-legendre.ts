/**
 * The share of a bell-shaped density beyond a point, by quadrature. Where the parameters of a beta or
 * gamma distribution are large, continued fractions need about √n steps; the integrand relative to its
 * value at the point is then nearly exp(−slope·d − curvature·d²/2), and 40 Gauss-Legendre nodes on the
 * stretch where it is above e^−46 give all the digits, whatever the size.
 */

const NODES = 40

/** Nodes on [0, 1] and weights, by Newton on the Legendre polynomial. */
function gaussLegendre(count: number): readonly (readonly [node: number, weight: number])[] {
  const rule: [number, number][] = []
  for (let i = 0; i < count; i++) {
    let x = Math.cos((Math.PI * (i + 0.75)) / (count + 0.5))
    let slope = 1
    for (let pass = 0; pass < 6; pass++) {
      let previous = 1
      let value = x
      for (let degree = 2; degree <= count; degree++) {
        const next = ((2 * degree - 1) * x * value - (degree - 1) * previous) / degree
        previous = value
        value = next
      }
      slope = (count * (x * value - previous)) / (x * x - 1)
      x -= value / slope
    }
    rule.push([(1 + x) / 2, 1 / ((1 - x * x) * slope * slope)])
  }
  return rule
}

const RULE = gaussLegendre(NODES)

/** Below e^−46 of its height the rest of the integrand adds nothing to the last digit. */
const NEGLIGIBLE = 46

/**
 * ∫ exp(−fall(d)) dd from 0 to where nothing is left, at most `limit`. `fall` grows from 0 with the
 * given slope ≥ 0 and curvature > 0 at d = 0.
 */
export function decayIntegral(
  fall: (distance: number) => number,
  slope: number,
  curvature: number,
  limit: number,
): number {
  const reach = Math.min(
    limit,
    (2 * NEGLIGIBLE) / (slope + Math.sqrt(slope * slope + 2 * NEGLIGIBLE * curvature)),
  )
  let sum = 0
  for (const [node, weight] of RULE) sum += weight * Math.exp(-fall(node * reach))
  return sum * reach
}
