/**
 * The names of the report formats, each with the file name endings that select it. This file is separate from
 * the formats, so that `assay --help` can list them without loading any. The first match counts:
 * `x.sarif.json` is SARIF.
 */
const ENDINGS = {
  html: ['.html', '.htm'],
  markdown: ['.md', '.markdown'],
  sarif: ['.sarif', '.sarif.json'],
  json: ['.json'],
  junit: ['.xml'],
  cases: ['cases.csv'],
  csv: ['.csv'],
} as const

export type FormatName = keyof typeof ENDINGS

export const FORMAT_NAMES: readonly FormatName[] = Object.keys(ENDINGS) as FormatName[]

/** The usual file name ending of each format. */
export const FORMAT_ENDINGS: readonly string[] = Object.values(ENDINGS).map(([usual]) => usual)

/** Returns the format that a file name selects; null if none does. */
export function formatNameFor(fileName: string): FormatName | null {
  const name = fileName.toLowerCase()
  return FORMAT_NAMES.find((format) => ENDINGS[format].some((end) => endsWith(name, end))) ?? null
}

/** An ending that starts with a letter must be a whole word: `showcases.csv` does not end in `cases.csv`. */
function endsWith(name: string, end: string): boolean {
  if (!name.endsWith(end)) return false
  return end.startsWith('.') || /(^|[._-])$/.test(name.slice(0, -end.length))
}
