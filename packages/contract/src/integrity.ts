/**
 * How well a grader prevents the solution from deciding its own verdict.
 *
 * `isolated`: tests and expected values never enter the process of the solution; its results are compared in
 * another process. `in-process`: the tests run in the process of the solution, and each test must report
 * exactly once.
 */
export type Integrity = 'isolated' | 'in-process'

/**
 * The original names, which version 1 of the trial log and the hash of a case still use. With the new names,
 * an older Assay would not count the trials of a log, and a suite could no longer be compared with its
 * earlier runs.
 */
export const FIRST_INTEGRITY_NAMES = {
  isolated: 'values',
  'in-process': 'inventory',
} as const satisfies Readonly<Record<Integrity, string>>

/** Returns the value for its current or original name; undefined for any other text. */
export function integrityNamed(name: string): Integrity | undefined {
  for (const [integrity, first] of Object.entries(FIRST_INTEGRITY_NAMES))
    if (name === integrity || name === first) return integrity as Integrity
  return undefined
}
