/** All report formats, and the functions that choose a format by file name or by `--format`. */
import { basename, extname } from 'node:path'
import { UsageError } from '@assay/contract'
import { nearest } from '../../text/index.ts'
import { classesCsv } from './classes-csv.ts'
import { casesCsv, csv } from './csv.ts'
import type { ReportFormat } from './format.ts'
import { html } from './html.ts'
import { json } from './json-format.ts'
import { junit } from './junit.ts'
import { markdown } from './markdown.ts'
import { FORMAT_ENDINGS, FORMAT_NAMES, formatNameFor, type FormatName } from './names.ts'
import { sarif } from './sarif.ts'

const BY_NAME: Readonly<Record<FormatName, ReportFormat>> = {
  html,
  markdown,
  sarif,
  json,
  junit,
  cases: casesCsv,
  classes: classesCsv,
  csv,
}

export const reportFormats: readonly ReportFormat[] = FORMAT_NAMES.map((name) => BY_NAME[name])

/** Returns the format for a file name. Throws `UsageError` if no format has this file name ending. */
export function formatFor(path: string): ReportFormat {
  const name = formatNameFor(basename(path))
  if (name !== null) return BY_NAME[name]
  const known = FORMAT_NAMES.map((one, i) => `${FORMAT_ENDINGS[i]} (${one})`).join(', ')
  const near = nearest(extname(path), FORMAT_ENDINGS)
  const meant = near === null ? '' : ` (did you mean ${near}?)`
  throw new UsageError(
    `the name "${path}" does not say which report is wanted${meant}; a name ends in one of ${known}`,
  )
}

/** Other names that users may type for a format. They are the file name endings of the formats. */
const SYNONYMS: Readonly<Record<string, string>> = { md: 'markdown', xml: 'junit' }

/** Returns the format with this `--format` name. Throws `UsageError` if there is none. */
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
