/** Text tables: columns as wide as their widest cell, and a last resort for narrow terminals. */
import stringWidth from 'string-width'

export interface Column {
  readonly title: string
  readonly align: 'left' | 'right'
}

/** Display columns of a text: wide characters take two, marks none. Escape sequences must not be in it. */
export const displayWidth = (text: string): number => stringWidth(text)

const SEGMENTS = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The text cut to a width, with an ellipsis where something is missing. */
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

/** The same from its beginning: what is kept is the end. */
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

/** The text in lines of at most a width, broken at spaces; a longer word is cut. */
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
 * Lines of prose that are longer than a width broken at spaces. A longer word stays whole, because it may be a path
 * that somebody copies; so do lines that are indented or set in columns, because they may be commands.
 * `widthOf` measures a word.
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

/** Between two columns. */
export const GAP = 2

/**
 * Lines of a table. The first column gives way when the whole is wider than `width`; the others hold
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
