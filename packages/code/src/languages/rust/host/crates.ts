/** Crates that are already built and can be used by solutions. */

/** Compiler flags for the built crates, and the paths that must be readable in the sandbox. */
export interface Crates {
  readonly flags: readonly string[]
  readonly reads: readonly string[]
}
