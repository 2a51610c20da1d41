/** The secrets that a run's record contains unmasked (run/masking.ts finds them). */

export interface Unmasked {
  /** The subjects and judges that have a secret too short to be masked. */
  readonly short?: readonly string[]
  /**
   * The suites and subjects ("suite ID", "subject ID") whose definition contains a secret. Definitions are not masked,
   * because they are the user's own words.
   */
  readonly written?: readonly string[]
}

/** Returns one sentence per subject, judge or suite, for the user. */
export const unmaskedWords = ({ short = [], written = [] }: Unmasked): string[] => [
  ...short.map(
    (id) => `a secret of ${id} has fewer than 8 characters: it is used, and not masked in records`,
  ),
  ...written.map(
    (id) => `${id} holds a secret in its own words: what you wrote is recorded as it is`,
  ),
]
