/** Formats tables as text. Columns are as wide as their widest cell, and tables become narrower on narrow terminals. */
import { plain } from '@assay/contract'
import type StringWidth from 'string-width'

export interface Column {
  readonly title: string
  readonly align: 'left' | 'right'
}

/**
 * Returns the number of columns that a text takes on a terminal. Wide characters take two columns, and combining marks
 * take none. The text must not contain escape sequences.
 */
export const displayWidth = (text: string): number =>
  PLAIN.test(text) ? text.length : stringWidth(text)

/**
 * Matches texts of printable characters that take one column each and never combine: Latin letters, dashes and
 * quotation marks, arrows, mathematical signs, and the lines of tables.
 */
const PLAIN = /^[\x20-\x7E\xA1-\xAC\xAE-\u02FF\u2010-\u2027\u2190-\u22FF\u2500-\u257F]*$/

let widthOfAny: typeof StringWidth | undefined

/**
 * Measures a text with the package string-width. The package is loaded on first use, because it compiles large
 * patterns, and that would take a quarter of the time of `assay --version`. This function does not import
 * `node:module`: the viewer's pages also use this folder, and browsers do not have that module.
 */
function stringWidth(text: string): number {
  const { createRequire } = process.getBuiltinModule('node:module')
  widthOfAny ??= (
    createRequire(import.meta.url)('string-width') as { readonly default: typeof StringWidth }
  ).default
  return widthOfAny(text)
}

/** Splits texts into characters. It is created on first use, because that takes milliseconds. */
let segmenter: Intl.Segmenter | undefined

function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return segmenter.segment(text)
}

/** Cuts a text to a width and adds an ellipsis if a part was cut. */
export function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  let kept = ''
  let used = 0
  for (const { segment } of graphemes(text)) {
    const next = displayWidth(segment)
    if (used + next > width - 1) break
    kept += segment
    used += next
  }
  return `${kept}…`
}

/** Cuts a text to a width by removing its beginning. */
export function cutStart(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  const segments = [...graphemes(text)].map(({ segment }) => segment)
  let from = segments.length
  for (let used = 1; from > 0; from--) {
    used += displayWidth(segments[from - 1] as string)
    if (used > width) break
  }
  return `…${segments.slice(from).join('')}`
}

/**
 * Wraps text at spaces into lines of at most `width` columns. A longer word is cut. Text often comes from a run or a
 * report of somebody else, so characters that a terminal would obey are replaced. Colors are added to the lines.
 */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of plain(text).split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (displayWidth(longer) <= width) {
      line = longer
      continue
    }
    if (line !== '') lines.push(line)
    line = cut(word, width)
  }
  return line === '' ? lines : [...lines, line]
}

/**
 * Wraps lines of prose at spaces. A word that is longer than the width is not cut, because it may be a path that the
 * user copies. Lines that are indented or set in columns are not wrapped, because they may be commands. `widthOf`
 * measures a word.
 */
export function wrapProse(text: string, width: number, widthOf = displayWidth): string {
  const wrapped = (line: string): string => {
    if (widthOf(line) <= width || line.startsWith(' ') || line.includes('  ')) return line
    let used = 0
    let broken = ''
    for (const word of line.split(' ')) {
      const taken = widthOf(word)
      const isFirst = broken === ''
      const fits = used + 1 + taken <= width
      broken += isFirst ? word : fits ? ` ${word}` : `\n${word}`
      used = isFirst || !fits ? taken : used + 1 + taken
    }
    return broken
  }
  return text.split('\n').map(wrapped).join('\n')
}

export const padEnd = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - displayWidth(text)))

const padStart = (text: string, width: number): string =>
  ' '.repeat(Math.max(0, width - displayWidth(text))) + text

/** The number of spaces between two columns. */
export const GAP = 2

/**
 * Returns the lines of a table. If the table is wider than `width`, the first column is shortened. The other columns
 * contain figures, which are never cut. As in `wrap`, characters that a terminal would obey are replaced.
 */
export function table(
  columns: readonly Column[],
  given: readonly (readonly string[])[],
  width: number,
): string[] {
  const rows = given.map((row) => row.map(plain))
  const widths = columns.map(({ title }, i) =>
    rows.reduce((widest, row) => Math.max(widest, displayWidth(row[i] ?? '')), displayWidth(title)),
  )
  const figures = widths.slice(1).reduce((sum, one) => sum + one + GAP, 0)
  widths[0] = Math.max(8, Math.min(widths[0] ?? 0, width - figures))
  const line = (cells: readonly string[]): string =>
    columns
      .map(({ align }, i) => {
        const cell = cut(cells[i] ?? '', widths[i] as number)
        return align === 'left'
          ? padEnd(cell, widths[i] as number)
          : padStart(cell, widths[i] as number)
      })
      .join(' '.repeat(GAP))
      .trimEnd()
  return [line(columns.map(({ title }) => title)), ...rows.map(line)]
}
