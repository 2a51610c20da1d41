/**
 * u − ln(1 + u), the quantity that is left of a log-likelihood when its first-order terms cancel
 * (the deviance of Loader 2000). Taken as written it loses all digits for small u; with v = u/(2 + u),
 * ln(1 + u) = 2 atanh v, and u − 2v = u·v, so the leading term needs no subtraction.
 *
 * `ratio` is 1 + u; the caller who knows it more exactly than 1 + u can say (u close to −1) passes it.
 */
export function logDeficit(u: number, ratio: number = 1 + u): number {
  if (u < -0.5 || u > 1) return u - Math.log(ratio)
  const v = u / (2 + u)
  const square = v * v
  let power = square
  let tail = 0
  for (let i = 3; power > 1e-17 * square; i += 2) {
    tail += power / i
    power *= square
  }
  return u * v - 2 * v * tail
}
