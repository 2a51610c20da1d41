/**
 * Compares decimal numbers that are stored as binary doubles. 1 − 0.95 is 0.050000000000000044 and
 * 0.55 − 0.5 is 0.05000000000000004. Of the 96 pairs of two-decimal numbers from 0 to 1 that differ
 * by exactly 0.05, a comparison with plain `>` finds that 39 differ by more. Scores have far fewer
 * than nine decimals, so a difference below 1e-9 is only rounding.
 */
export const DECIMAL_TOLERANCE = 1e-9

/** Whether value ≥ bound. A value that is below the bound by at most the tolerance also counts. */
export const atLeast = (value: number, bound: number): boolean => value >= bound - DECIMAL_TOLERANCE

/** Whether value > bound. A value that is above the bound by at most the tolerance does not count. */
export const moreThan = (value: number, bound: number): boolean => value > bound + DECIMAL_TOLERANCE
