/**
 * Puts untrusted names and texts into Markdown. They are written as code, in which Markdown and GitHub interpret no
 * markup, HTML, @mention, #123 or link. A text that could end the code or its table cell, by a backtick or a pipe, is
 * written as HTML with every special character as a character reference, which Markdown never interprets.
 */
import { plain } from '@assay/contract'

/** Longer texts are cut: nobody needs to read the end of them here. */
const MOST = 160

/** Returns a text as code, for a table, a list or a line. */
export function code(text: string, most: number = MOST): string {
  const shown = cutTo(plain(text).toWellFormed(), most)
  return /[`|\\]|^\s*$/.test(shown) ? htmlCode(shown, most) : `\`${shown}\``
}

/** Returns a text as code for an HTML block, where Markdown is not interpreted. It works everywhere else, too. */
export const htmlCode = (text: string, most: number = MOST): string =>
  `<code>${references(cutTo(plain(text).toWellFormed(), most))}</code>`

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
