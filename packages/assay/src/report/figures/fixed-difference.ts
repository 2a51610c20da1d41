/**
 * Computes the difference B − A for exactly these cases (the "fixed set") from an estimate of A and an estimate of
 * B. For given cases, the two estimates are independent. Their intervals are combined with Newcombe's method for
 * two proportions, which adds up the squared distances to the near and far bounds (Zou and Donner 2008 call it
 * MOVER). See docs/design/gate.md for its validation.
 */
import { normalQuantile, type Metric, type PairedDifference } from '@assay/metrics'

/**
 * Returns the difference. `se` is the standard error that a normal interval of the same width would have. `trials` is
 * the number of trials from which one mean is computed, averaged over A and B.
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
