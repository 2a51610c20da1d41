/**
 * Puts untrusted names and texts into Markdown. They are written as code, because Markdown and GitHub do not interpret
 * markup, HTML, @mentions, #123 or links in code. But a backtick could end the code, and a pipe could end the table
 * cell. So a text that contains one of them is written as HTML instead. In that HTML, every special character is a
 * character reference, which Markdown never interprets.
 */
import { plain } from '@assay/contract'

/** The most characters of a text. Longer texts are cut, because readers do not need the rest here. */
const MOST = 160

/** Returns a text as code, for use in a table, a list or a line. */
export function code(text: string, most: number = MOST): string {
  const shown = cutTo(plain(text).toWellFormed(), most)
  return /[`|\\]|^\s*$/.test(shown) ? htmlCode(shown, most) : `\`${shown}\``
}

/**
 * Returns a name for use in a sentence. A name that Markdown and GitHub show unchanged is returned as it is, so that
 * the sentence is the same as in other formats. Any other name is written as code.
 */
export function markdownName(name: string, most: number = MOST): string {
  const shown = cutTo(plain(name).toWellFormed(), most)
  return isHarmless(shown) ? shown : htmlCode(shown, most)
}

/** Whether the text contains no character of Markdown, and nothing that GitHub would turn into a link. */
const isHarmless = (text: string): boolean =>
  /^[\p{L}\p{N}][\p{L}\p{N} ,.:=/+…-]*(?<! )$/u.test(text) &&
  !/:\/\/|www\.|\bgh-\d|\b[\da-f]{7,40}\b| {2}/i.test(text)

/**
 * Returns a text as code for an HTML block, in which Markdown is not interpreted. The result also works in Markdown.
 */
export const htmlCode = (text: string, most: number = MOST): string =>
  `<code>${references(cutTo(plain(text).toWellFormed(), most))}</code>`

/** Escapes a sentence that Assay wrote. The sentence may quote a name or a reason from an untrusted file. */
export const prose = (text: string): string =>
  plain(text)
    .toWellFormed()
    .replaceAll(
      /:(?! )|[^\p{L}\p{N}\p{M} ,.–−…()%;:≥≤=^+’$∞]/gu,
      (sign) => `&#${sign.codePointAt(0)};`,
    )

const cutTo = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…` : text

const references = (text: string): string =>
  text.replaceAll(/[^\p{L}\p{M}\p{N} …]/gu, (sign) => `&#${sign.codePointAt(0)};`)

export interface MarkdownColumn {
  readonly title: string
  readonly right?: boolean
}

/** Returns the lines of a table. The cells must already be Markdown. */
export function markdownTable(
  columns: readonly MarkdownColumn[],
  rows: readonly (readonly string[])[],
): string[] {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [
    row(columns.map(({ title }) => title)),
    row(columns.map(({ right }) => (right === true ? '--:' : '---'))),
    ...rows.map(row),
  ]
}
