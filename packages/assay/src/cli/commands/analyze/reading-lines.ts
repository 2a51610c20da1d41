/** Prints how the files of other programs were read: what each column was taken to mean, and why. */
import { plain } from '@assay/contract'
import type { ReadFile } from '../../../analyze/index.ts'
import { counted, cut, displayWidth, padEnd, wrap } from '../../../text/index.ts'

const MOST_UNUSED = 12
const WIDEST_COLUMN = 32
const MOST_NAMED = 4

/**
 * Returns lines about one file. The first line shows the number of rows. Then there is one line for each used
 * column: ` case subtest its name; 12 different values`.
 */
export function readingLines(
  { path, rows, kind, map, judgments }: ReadFile,
  width: number,
): string[] {
  const read = `read ${counted(rows, 'row')} of ${path} (${kind})`
  const shown = map ?? judgments
  if (shown === undefined) return wrap(plain(read), width)
  const own = map !== null && map.subject.length === 0 && map.wide.length === 0
  const lines = [
    ...(own
      ? [{ role: 'subject', columns: ['–'], why: 'no column names it: the file’s name is taken' }]
      : []),
    ...shown.chosen,
  ].map(({ role, columns, why }) => ({ role, name: nameOf(columns), why }))
  const [roleWidth, nameWidth] = [
    Math.max(...lines.map(({ role }) => displayWidth(role))),
    Math.min(WIDEST_COLUMN, Math.max(...lines.map(({ name }) => displayWidth(name)))),
  ]
  const indent = roleWidth + nameWidth + 6
  const table = lines.flatMap(({ role, name, why }) => {
    const head = `  ${padEnd(role, roleWidth)}  ${padEnd(cut(name, nameWidth), nameWidth)}  `
    // On a very narrow terminal, the reason is printed on separate lines.
    const room = width - indent
    if (room < 20)
      return [
        head.trimEnd(),
        ...wrap(plain(why), Math.max(10, width - 4)).map((line) => `    ${line}`),
      ]
    return wrap(plain(why), room).map((line, i) => (i === 0 ? head : ' '.repeat(indent)) + line)
  })
  return [...wrap(`${plain(read)}:`, width), ...table, ...unusedLines(shown.unused, width)]
}

/** Joins the names of columns for one line of the table. If there are many names, only the first few are listed. */
function nameOf(columns: readonly string[]): string {
  const shown = columns.slice(0, MOST_NAMED).map((title) => plain(title) || '(no name)')
  const more = columns.length - shown.length
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function unusedLines(unused: readonly string[], width: number): string[] {
  if (unused.length === 0) return []
  const shown = unused.slice(0, MOST_UNUSED).map((title) => title.slice(0, 40) || '(no name)')
  const more = unused.length - shown.length
  const text = `not used: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return wrap(plain(text), width - 2).map((line) => `  ${line}`)
}
