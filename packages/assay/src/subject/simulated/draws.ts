/** Draws from distributions, each from a stream of uniform numbers in [0, 1). */

export type Random = () => number

/** A fixed value, or a log-normal distribution by its median and the deviation of its logarithm. */
export type Spread = number | { readonly median: number; readonly sigma: number }

/** Standard normal (Box and Muller 1958); 1 − u keeps the logarithm away from 0. */
const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

export const drawSpread = (random: Random, spread: Spread): number =>
  typeof spread === 'number' ? spread : spread.median * Math.exp(spread.sigma * normal(random))

/** A value that a draw hardly ever passes: about one in a thousand. */
export const nearlyMost = (spread: Spread): number =>
  typeof spread === 'number' ? spread : spread.median * Math.exp(3.1 * spread.sigma)

/**
 * The logarithm of a gamma variate (Marsaglia and Tsang 2000). Below shape 1 it is drawn at shape + 1 and
 * multiplied by u^(1/shape), which in logarithms does not underflow.
 */
function logGamma(random: Random, shape: number): number {
  if (shape < 1) return logGamma(random, shape + 1) + Math.log(1 - random()) / shape
  const d = shape - 1 / 3
  const c = 1 / Math.sqrt(9 * d)
  for (;;) {
    const x = normal(random)
    const root = 1 + c * x
    if (root <= 0) continue
    const v = root ** 3
    if (Math.log(1 - random()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return Math.log(d * v)
  }
}

/** Beta(a, b) as the share of one gamma variate in the sum of two. */
export function drawBeta(random: Random, a: number, b: number): number {
  const [one, other] = [logGamma(random, a), logGamma(random, b)]
  return 1 / (1 + Math.exp(other - one))
}
