/** Every report format there is, and which one a file name asks for. */
import { basename } from 'node:path'
import { UsageError } from '@assay/contract'
import { nearest } from '../../text/index.ts'
import { casesCsv, csv } from './csv.ts'
import type { ReportFormat } from './format.ts'
import { html } from './html.ts'
import { json } from './json-format.ts'
import { junit } from './junit.ts'
import { markdown } from './markdown.ts'
import { sarif } from './sarif.ts'

/** The first that matches a file name is meant, so that `x.sarif.json` comes before `x.json`. */
export const reportFormats: readonly ReportFormat[] = [
  html,
  markdown,
  sarif,
  json,
  junit,
  casesCsv,
  csv,
]

const ENDINGS =
  '.html, .md, .json, .sarif or .sarif.json, .xml (JUnit), .csv (trials), cases.csv (cases)'

/** The format of a file by its name. */
export function formatFor(path: string): ReportFormat {
  const name = basename(path).toLowerCase()
  const format = reportFormats.find(({ matches }) => matches(name))
  if (format !== undefined) return format
  throw new UsageError(`the name "${path}" does not say which report is wanted; known: ${ENDINGS}`)
}

/** What people call a format as well: the ending of its files. */
const SYNONYMS: Readonly<Record<string, string>> = { md: 'markdown', xml: 'junit' }

/** The format that `--format` names. */
export function formatNamed(name: string): ReportFormat {
  const wanted = Object.hasOwn(SYNONYMS, name) ? SYNONYMS[name] : name
  const format = reportFormats.find((one) => one.name === wanted)
  if (format !== undefined) return format
  const names = reportFormats.map((one) => one.name)
  const meant = nearest(name, names)
  throw new UsageError(
    `there is no report format "${name}"${meant === null ? '' : `, did you mean "${meant}"?`}; known: ${names.join(', ')}`,
  )
}
