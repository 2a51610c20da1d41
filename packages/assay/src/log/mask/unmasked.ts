/** What of a run's record is written although it is, or may be, a secret (run/masking.ts finds it). */

export interface Unmasked {
  /** Subjects and judges with a secret that is too short to be masked. */
  readonly short?: readonly string[]
  /** Suites and subjects, as "suite ID" and "subject ID", in whose own words a secret stands: what the user wrote is kept as it is. */
  readonly written?: readonly string[]
}

/** For people. */
export const unmaskedWords = ({ short = [], written = [] }: Unmasked): string[] => [
  ...short.map(
    (id) => `a secret of ${id} has fewer than 8 characters: it is used, and not masked in records`,
  ),
  ...written.map(
    (id) => `${id} holds a secret in its own words: what you wrote is recorded as it is`,
  ),
]
