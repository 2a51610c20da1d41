/**
 * The report formats by name, each with the ends of file names that ask for it. Separate from the formats, so that
 * `assay --help` lists them and loads none. The first that fits a file name is meant: `x.sarif.json` is SARIF.
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

/** The usual end of each format's file names. */
export const FORMAT_ENDINGS: readonly string[] = Object.values(ENDINGS).map(([usual]) => usual)

/** The format that a file name asks for; null for none. */
export function formatNameFor(fileName: string): FormatName | null {
  const name = fileName.toLowerCase()
  return FORMAT_NAMES.find((format) => ENDINGS[format].some((end) => endsWith(name, end))) ?? null
}

/** An end that begins with a letter is a word of its own: `showcases.csv` is not `cases.csv`. */
function endsWith(name: string, end: string): boolean {
  if (!name.endsWith(end)) return false
  return end.startsWith('.') || /(^|[._-])$/.test(name.slice(0, -end.length))
}
