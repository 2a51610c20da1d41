/**
 * Computes the difference B − A of two subjects on exactly these cases (the "fixed set"), from an estimate of A and an
 * estimate of B. On fixed cases, the trials of A and B are independent of each other. So the two intervals are combined
 * with Newcombe's method for two proportions, which Zou and Donner (2008) call MOVER. It adds up the squared distances
 * of the estimates to their bounds. docs/design/gate.md describes how the method was validated here.
 */
import { normalQuantile, type Metric, type PairedDifference } from '@assay/metrics'

/**
 * Returns the difference B − A with its interval. `se` is the standard error of a normal interval with the same width.
 * `trials` is the average number of trials per mean.
 */
export function fixedDifference(
  a: Metric,
  b: Metric,
  { cases, trials, level }: { cases: number; trials: number; level: number },
): PairedDifference {
  const [from, to] = [a.value ?? 0, b.value ?? 0]
  const before = a.interval ?? { low: 0, high: 1 }
  const after = b.interval ?? { low: 0, high: 1 }
  const difference = to - from
  const low = difference - Math.hypot(to - after.low, before.high - from)
  const high = difference + Math.hypot(after.high - to, from - before.low)
  return {
    difference,
    n: cases,
    units: trials,
    se: (high - low) / (2 * normalQuantile((1 + level) / 2)),
    df: null,
    p: null,
    interval: { low, high, level, method: 'fixed-set intervals joined (MOVER)', target: 'fixed' },
  }
}
