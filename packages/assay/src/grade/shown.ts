/** Formats texts for the reasons and the evidence of grades: quoted, on one line, and short. */
import { plain } from '@assay/contract'

const MOST_IN_REASON = 80
const MOST_IN_EVIDENCE = 300

/** Cuts a text to a length. Adds `…` if the text was cut. It never splits a surrogate pair. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  return `${text.slice(0, wholeAt(text, most - 1))}…`
}

/** Quotes a text for a grade's reason: `"forty-two\n"`. */
export const quoted = (text: string, most = MOST_IN_REASON): string =>
  plain(JSON.stringify(shortened(text, most)))

/** Returns the text around a position. A mark shows where text was cut off. */
export function around(text: string, from: number, to = from, most = MOST_IN_EVIDENCE): string {
  const margin = Math.max(0, Math.floor((most - (to - from)) / 2))
  const start = wholeAt(text, Math.max(0, from - margin))
  const end = wholeAt(text, Math.min(text.length, start + most))
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`
}

/** Returns the line and column of an index, both from 1, as in editors. */
export function placeOf(text: string, index: number): string {
  let line = 1
  let start = 0
  for (let at = text.indexOf('\n'); at !== -1 && at < index; at = text.indexOf('\n', start)) {
    line++
    start = at + 1
  }
  return `line ${line}, column ${index - start + 1}`
}

/** Returns the index or, if it would split a surrogate pair, the index before it. */
function wholeAt(text: string, index: number): number {
  const unit = text.charCodeAt(index)
  return unit >= 0xdc00 && unit <= 0xdfff && index > 0 ? index - 1 : index
}
