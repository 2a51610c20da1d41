/** Crates that are already built, for the compiler. */

/** Compiler flags for the built crates, and the paths to make readable. */
export interface Crates {
  readonly flags: readonly string[]
  readonly reads: readonly string[]
}
