/** Draws random values from distributions. `random` is a function that returns uniform random numbers in [0, 1). */

export type Random = () => number

/** A fixed value, or a log-normal distribution with a median and the standard deviation of its logarithm. */
export type Spread = number | { readonly median: number; readonly sigma: number }

/**
 * Draws from the standard normal distribution (Box and Muller 1958). It takes the logarithm of 1 − u, because u may be
 * 0.
 */
const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

export const drawSpread = (random: Random, spread: Spread): number =>
  typeof spread === 'number' ? spread : spread.median * Math.exp(spread.sigma * normal(random))

/** Returns a value so high that only about one draw in a thousand exceeds it. */
export const nearlyMost = (spread: Spread): number =>
  typeof spread === 'number' ? spread : spread.median * Math.exp(3.1 * spread.sigma)

/**
 * Draws the logarithm of a gamma variate (Marsaglia and Tsang 2000). For a shape below 1, it draws with shape + 1 and
 * multiplies the variate by u^(1/shape). It returns a logarithm, because the variate itself could underflow to 0.
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

/** Draws from Beta(a, b): the first of two gamma variates divided by their sum. */
export function drawBeta(random: Random, a: number, b: number): number {
  const [one, other] = [logGamma(random, a), logGamma(random, b)]
  return 1 / (1 + Math.exp(other - one))
}
