/**
 * The trial that is open, kept in the page's address so that it can be handed on: `#suite/case/subject/0`,
 * each part escaped. Half a character cannot stand in an address and is replaced.
 */
import type { Identity } from './data/source.ts'

export const hashOf = ({ suite, case: one, subject, index }: Identity): string =>
  `#${[suite, one, subject, String(index)].map((part) => encodeURIComponent(part.toWellFormed())).join('/')}`

/** Null where the hash names no trial. */
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
