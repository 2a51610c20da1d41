/**
 * Comparing decimals that went through binary. 1 − 0.95 is 0.050000000000000044 and 0.55 − 0.5 is
 * 0.05000000000000004: of the 96 two-decimal pairs that differ by exactly 0.05, plain `>` calls 39 a
 * larger difference and 57 not. Scores carry far fewer than nine decimals, so 1e-9 separates
 * rounding from meaning.
 */
export const DECIMAL_TOLERANCE = 1e-9

/** value ≥ bound, in decimal. */
export const atLeast = (value: number, bound: number): boolean => value >= bound - DECIMAL_TOLERANCE

/** value > bound, in decimal. */
export const moreThan = (value: number, bound: number): boolean => value > bound + DECIMAL_TOLERANCE
