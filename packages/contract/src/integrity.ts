/**
 * How well a grader prevents a solution from deciding its own verdict.
 *
 * `isolated`: the tests and the expected values never enter the process of the solution. Another process compares the
 * solution's results with them.
 *
 * `in-process`: the tests run in the process of the solution. Each test must report its result exactly once.
 */
export type Integrity = 'isolated' | 'in-process'

/**
 * The original names of the two values. Version 1 of the trial log and the hash of a case use them. If a log
 * contained the new names, an older Assay would not count its trials. If the hash used the new names, a suite could
 * not be compared with its earlier runs.
 */
export const FIRST_INTEGRITY_NAMES = {
  isolated: 'values',
  'in-process': 'inventory',
} as const satisfies Readonly<Record<Integrity, string>>

/** Returns the level for its current or original name. Returns undefined for any other text. */
export function integrityNamed(name: string): Integrity | undefined {
  for (const [integrity, first] of Object.entries(FIRST_INTEGRITY_NAMES))
    if (name === integrity || name === first) return integrity as Integrity
  return undefined
}
