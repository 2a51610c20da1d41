/**
 * Names and texts of strangers inside Markdown. They stand as code, where Markdown and GitHub find neither
 * markup nor HTML, no @mention, no #123 and no link. A text that could end the code or the cell it stands
 * in, by a backtick or a pipe, is written as HTML with every sign as a character reference, which Markdown
 * never reads as a sign.
 */
import { plain } from '@assay/contract'

/** Longer ones are cut: nothing that is shown here needs to be read to its end. */
const MOST = 160

/** A text as code, in a table, a list or a line. */
export function code(text: string, most: number = MOST): string {
  const shown = cutTo(plain(text).toWellFormed(), most)
  return /[`|\\]|^\s*$/.test(shown) ? htmlCode(shown, most) : `\`${shown}\``
}

/** A text as code where Markdown is not read, inside an HTML block; works everywhere else, too. */
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

/** A table; its cells are Markdown already. */
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
