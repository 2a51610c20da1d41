/**
 * How well a grader prevents the solution from deciding its own verdict.
 *
 * `isolated`: tests and expected values never enter the process of the solution. Its results are compared in
 * another process. `in-process`: the tests run in the process of the solution, and each test must report its
 * result exactly once.
 */
export type Integrity = 'isolated' | 'in-process'

/**
 * The original names of the two values. Version 1 of the trial log and the hash of a case still use them. If a
 * log contained the new names, an older Assay would not count its trials. If the hash used the new names, a suite
 * could no longer be compared with its earlier runs.
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
