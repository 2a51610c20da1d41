/**
 * Keeps the open trial in the hash of the page's address, so that a link to the trial can be shared. The hash
 * is `#suite/case/subject/0` with each part escaped. A lone surrogate in a name is replaced, because an address
 * cannot contain it.
 */
import type { Identity } from './data/source.ts'

export const hashOf = ({ suite, case: one, subject, index }: Identity): string =>
  `#${[suite, one, subject, String(index)].map((part) => encodeURIComponent(part.toWellFormed())).join('/')}`

/** Returns the trial that a hash names. Null if it names none. */
export function placeOf(hash: string): Identity | null {
  const parts = hash.replace(/^#/, '').split('/')
  if (parts.length !== 4 || !/^\d{1,9}$/.test(parts[3] ?? '')) return null
  try {
    const [suite = '', one = '', subject = '', index] = parts.map(decodeURIComponent)
    return { suite, case: one, subject, index: Number(index) }
  } catch {
    return null
  }
}
