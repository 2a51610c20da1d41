/**
 * The exact distribution of a sum of magnitudes of which each counts or not by a fair coin: all 2^m
 * sign patterns at once, in m · S steps instead of 2^m, S the largest sum. It is what sign flips
 * and the signed ranks have under "no difference".
 */
import { type Lattice, pointMass, rescale } from '../lattice.ts'

/** The distribution of Σ coin_i · magnitude_i for positive integer magnitudes. */
export function signSum(magnitudes: readonly number[]): Lattice {
  // Small ones first keeps the sums short for longest, and the result free of the order given.
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
