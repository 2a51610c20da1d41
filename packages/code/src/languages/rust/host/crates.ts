/** Built crates, for the compiler. */

/** Built crates, as the compiler wants to be told of them. */
export interface Crates {
  readonly flags: readonly string[]
  readonly reads: readonly string[]
}
