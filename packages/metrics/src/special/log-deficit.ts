/**
 * Computes u − ln(1 + u). This difference is the part of a log-likelihood that remains when its
 * first-order terms cancel (the deviance of Loader 2000). The plain subtraction loses all digits
 * for small u. To avoid the subtraction, the code uses v = u/(2 + u). Then ln(1 + u) = 2 atanh v
 * and u − 2v = u·v. So the leading term of the difference is the product u·v.
 *
 * `ratio` is 1 + u. If u is close to −1, the sum 1 + u loses digits. A caller that has a more exact
 * value of 1 + u passes it as `ratio`.
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
