/** Escapes untrusted text for XML. */
import { plain, plainLines } from '@assay/contract'

/** Replaces characters that XML 1.0 does not allow, not even as escapes. */
const legal = (text: string): string => text.toWellFormed().replaceAll(/[\ufffe\uffff]/g, '\ufffd')

export const escaped = (text: string): string =>
  legal(plainLines(text)).replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign)

/**
 * Quotes the value of an attribute. XML parsers would read line breaks in it as spaces, so `plain` replaces them first.
 */
export const quoted = (text: string): string => `"${escaped(plain(text))}"`

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}
