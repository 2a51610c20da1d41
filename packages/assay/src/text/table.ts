/** Text tables: columns are as wide as their widest cell, and tables shrink on narrow terminals. */
import stringWidth from 'string-width'

export interface Column {
  readonly title: string
  readonly align: 'left' | 'right'
}

/**
 * Returns the width of a text on a terminal: wide characters take two columns, combining marks none. The text must
 * not contain escape sequences.
 */
export const displayWidth = (text: string): number => stringWidth(text)

const SEGMENTS = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Cuts a text to a width, with an ellipsis if something was cut. */
export function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  let kept = ''
  let used = 0
  for (const { segment } of SEGMENTS.segment(text)) {
    const next = displayWidth(segment)
    if (used + next > width - 1) break
    kept += segment
    used += next
  }
  return `${kept}…`
}

/** Cuts the beginning of a text and keeps its end. */
export function cutStart(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  const segments = [...SEGMENTS.segment(text)].map(({ segment }) => segment)
  let from = segments.length
  for (let used = 1; from > 0; from--) {
    used += displayWidth(segments[from - 1] as string)
    if (used > width) break
  }
  return `…${segments.slice(from).join('')}`
}

/** Wraps text at spaces into lines of at most `width` columns. A longer word is cut. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
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
 * Wraps lines of prose at spaces. A word longer than the width stays whole, because it may be a path to copy. Lines
 * that are indented or set in columns stay whole too, because they may be commands. `widthOf` measures a word.
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
 * Returns the lines of a table. If the table is wider than `width`, the first column is shortened. The others contain
 * figures, which are never cut.
 */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): string[] {
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
