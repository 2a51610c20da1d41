/**
 * The exact distribution of a sum of m magnitudes, where a fair coin decides for each magnitude
 * whether it is included. The code covers all 2^m patterns of included magnitudes in at most m · S
 * steps, where S is the largest sum. The sign-flip and signed-rank tests use it: if the two
 * subjects do not differ, the sum of the positive differences or ranks has this distribution.
 */
import { type Lattice, pointMass, rescale } from '../lattice.ts'

/** Returns the distribution of the sum for positive integer magnitudes. */
export function signSum(magnitudes: readonly number[]): Lattice {
  // The smallest magnitudes come first. This keeps the sums short, and the result does not depend on
  // the order of the input.
  const sorted = magnitudes.toSorted((x, y) => x - y)
  const total = sorted.reduce((sum, x) => sum + x, 0)
  const weights = new Float64Array(total + 1)
  weights.set(pointMass(0).weights)
  let top = 0
  for (const magnitude of sorted) {
    for (let s = top; s >= 0; s--) {
      const half = (weights[s] as number) / 2
      weights[s] = half
      weights[s + magnitude] = (weights[s + magnitude] as number) + half
    }
    top += magnitude
  }
  return { low: 0, weights: rescale(weights) }
}
