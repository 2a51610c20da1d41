/**
 * The cases of the suites that come with Assay, known by their hashes. Written by `npm run shipped`; a test
 * holds it against the suites.
 */
import type { Case } from '../contract.ts'

const HASHES: ReadonlySet<string> = new Set<string>([])

/** Whether the case is one of this package's own, unchanged. */
export const isShipped = ({ hash }: Pick<Case, 'hash'>): boolean => HASHES.has(hash)
