/**
 * How far a grader kept the solution from deciding its own verdict.
 *
 * `isolated`: tests and expected values never enter the process of the solution; its results are carried out and
 * compared elsewhere. `in-process`: the tests run in the process of the solution, and each must report once.
 */
export type Integrity = 'isolated' | 'in-process'

/**
 * The first names, which version 1 of the trial log and the hash of a case keep: with others, an older Assay would
 * not count the trials of a log, and a suite would no longer be comparable with its earlier runs.
 */
export const FIRST_INTEGRITY_NAMES = {
  isolated: 'values',
  'in-process': 'inventory',
} as const satisfies Readonly<Record<Integrity, string>>

/** A value by its name or by its first name; undefined for any other text. */
export function integrityNamed(name: string): Integrity | undefined {
  for (const [integrity, first] of Object.entries(FIRST_INTEGRITY_NAMES))
    if (name === integrity || name === first) return integrity as Integrity
  return undefined
}
