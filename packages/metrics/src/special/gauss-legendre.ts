/**
 * Computes the share of a bell-shaped density beyond a point by numerical integration. If the
 * parameters of a beta or gamma distribution are large, continued fractions are slow: they need
 * about √n steps for parameters of size n. But for such parameters, the density at distance d from
 * the point, relative to its value at the point, is nearly exp(−slope·d − curvature·d²/2). 40
 * Gauss-Legendre nodes on the interval where this ratio is above e^−46 give all digits of the
 * integral, however large n is.
 */

const NODES = 40

/**
 * Returns the nodes on [0, 1] and their weights. The integral of a function is approximated by the
 * weighted sum of its values at the nodes. The nodes are the roots of a Legendre polynomial, moved
 * from [−1, 1] to [0, 1]. Newton's method finds them.
 */
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

/**
 * The integrand is ignored where it is below e^−46 of its maximum, because such values do not
 * change the last digit of the integral.
 */
const NEGLIGIBLE = 46

/**
 * Returns the integral of exp(−fall(d)) over the distance d, from 0 to `limit`, or to the point
 * where the integrand is negligible if that comes first. fall(0) is 0. `slope` ≥ 0 and `curvature`
 * > 0 are the first and second derivative of `fall` at d = 0.
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
