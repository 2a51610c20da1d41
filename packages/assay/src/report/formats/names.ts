/**
 * The names of the report formats, each with its file name endings. They have their own file, so that `assay --help`
 * can list them without loading the formats. The first ending that matches decides: `x.sarif.json` is SARIF, not JSON.
 */
const ENDINGS = {
  html: ['.html', '.htm'],
  markdown: ['.md', '.markdown'],
  sarif: ['.sarif', '.sarif.json'],
  json: ['.json'],
  junit: ['.xml'],
  cases: ['cases.csv'],
  classes: ['classes.csv'],
  csv: ['.csv'],
} as const

export type FormatName = keyof typeof ENDINGS

export const FORMAT_NAMES: readonly FormatName[] = Object.keys(ENDINGS) as FormatName[]

/** The usual file name ending of each format, which is its first one. */
export const FORMAT_ENDINGS: readonly string[] = Object.values(ENDINGS).map(([usual]) => usual)

/** Returns the format for a file name, or null if no format has this file name ending. */
export function formatNameFor(fileName: string): FormatName | null {
  const name = fileName.toLowerCase()
  return FORMAT_NAMES.find((format) => ENDINGS[format].some((end) => endsWith(name, end))) ?? null
}

/**
 * Whether the name has this ending. An ending that starts with a letter must be a whole word: `showcases.csv` does not
 * end in `cases.csv`.
 */
function endsWith(name: string, end: string): boolean {
  if (!name.endsWith(end)) return false
  return end.startsWith('.') || /(^|[._-])$/.test(name.slice(0, -end.length))
}
