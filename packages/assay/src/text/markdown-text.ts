/**
 * Puts untrusted names and texts into Markdown. They are written as code, in which Markdown and GitHub interpret no
 * markup, HTML, @mention, #123 or link. A backtick or a pipe could end the code or its table cell. A text with one of
 * them is written as HTML, with every special character as a character reference, which Markdown never interprets.
 */
import { plain } from '@assay/contract'

/** Longer texts are cut to this length, because readers do not need the rest here. */
const MOST = 160

/** Returns a text as code, for use in a table, a list or a line. */
export function code(text: string, most: number = MOST): string {
  const shown = cutTo(plain(text).toWellFormed(), most)
  return /[`|\\]|^\s*$/.test(shown) ? htmlCode(shown, most) : `\`${shown}\``
}

/**
 * Returns a name for a sentence. If Markdown and GitHub would show it as it is, it stays as it is, so that the sentence
 * is the same as in other formats. Otherwise it is written as code.
 */
export function markdownName(name: string, most: number = MOST): string {
  const shown = cutTo(plain(name).toWellFormed(), most)
  return isHarmless(shown) ? shown : htmlCode(shown, most)
}

/** True if the text has no character of Markdown, and nothing that GitHub makes a link of. */
const isHarmless = (text: string): boolean =>
  /^[\p{L}\p{N}][\p{L}\p{N} ,.:=/+…-]*(?<! )$/u.test(text) &&
  !/:\/\/|www\.|\bgh-\d|\b[\da-f]{7,40}\b| {2}/i.test(text)

/**
 * Returns a text as code for an HTML block, where Markdown is not interpreted. The result also works outside of HTML
 * blocks.
 */
export const htmlCode = (text: string, most: number = MOST): string =>
  `<code>${references(cutTo(plain(text).toWellFormed(), most))}</code>`

/** Escapes a sentence that Assay wrote, because it may quote a name or a reason from an untrusted file. */
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
