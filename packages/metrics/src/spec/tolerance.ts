/**
 * Compares decimal numbers that are stored as binary doubles. 1 − 0.95 is 0.050000000000000044 and
 * 0.55 − 0.5 is 0.05000000000000004. Of the 96 pairs of two-decimal numbers that differ by exactly
 * 0.05, plain `>` reports 39 as differing by more. Scores have far fewer than nine decimals, so a
 * difference below 1e-9 is only rounding.
 */
export const DECIMAL_TOLERANCE = 1e-9

/** value ≥ bound, with the tolerance. */
export const atLeast = (value: number, bound: number): boolean => value >= bound - DECIMAL_TOLERANCE

/** value > bound, with the tolerance. */
export const moreThan = (value: number, bound: number): boolean => value > bound + DECIMAL_TOLERANCE
