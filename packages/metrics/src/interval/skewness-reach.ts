/**
 * Computes how much further an interval of a mean must reach on the side on which the values are
 * skewed.
 *
 * A t interval is symmetric. If the mean comes from a few cases and the other cases are almost
 * equal, the t interval ends too early on the side of these few cases. For example, a sample in
 * which three such cases are expected may well contain only one. Its mean and its spread are then
 * both too small.
 *
 * Such a mean behaves like a count of rare events times their size. So the sum is modelled as u
 * times a Poisson count with mean x, where x is the number of cases that carry the mean and u is
 * the amount that each of them adds. x and u are chosen such that the model has the variance and
 * the third moment of the values: with the residuals e (each value minus the mean), u = Σe³/Σe² and
 * x = (Σe²)³/(Σe³)². The exact upper bound of a Poisson mean after x events is the quantile of a
 * gamma distribution with the shape x + 1 (Garwood 1936). The excess of this bound over the normal
 * approximation x + z√x, where z is the normal quantile of the level, is added to the t interval,
 * on the skewed side only. The quantile is computed by the approximation of Wilson and Hilferty
 * (1931), which is within 1 % for all x that occur (x > 1) and levels from 50 % to 99.9 %.
 *
 * If many cases carry the mean, the extension tends to u(z² + 2)/3 for the sum. For values without skewness, only
 * chance makes the extension differ from zero. It is then 2 % to 4 % of the width of an interval over 20 to 50 cases.
 * docs/design/coverage.md has the figures.
 */

/**
 * If the third moment Σe³ is at most this share of its largest possible value, it is only the
 * rounding error of symmetric values.
 */
const SYMMETRIC = 1e-9

/**
 * The sum of the squares (Σe²) and of the cubes (Σe³) of the residuals of cases. If cases come in
 * groups, the residuals are first summed within each group.
 */
export interface ResidualPowers {
  readonly squares: number
  readonly cubes: number
}

/**
 * Returns the extension for the sum of the values. It is negative if the interval must reach
 * further down. `z` is the quantile of the normal distribution for the level, 1.96 for 95 %.
 */
export function skewnessReach({ squares, cubes }: ResidualPowers, z: number): number {
  if (Math.abs(cubes) <= SYMMETRIC * squares * Math.sqrt(squares)) return 0
  const unit = cubes / squares
  const count = squares / (unit * unit)
  // With x = `count` and a = x + 1, the extension in units of `unit` is a(1 − 1/(9a) + z/(3√a))³ −
  // x − z√x. The form below does not lose digits for large x.
  const shape = Math.sqrt(count + 1)
  const v = z / 3 - 1 / (9 * shape)
  return unit * (2 / 3 + z / (shape + Math.sqrt(count)) + 3 * v * v + (v * v * v) / shape)
}
