/**
 * Reads a table as texts, whatever its columns mean. The table is CSV, JSON lines or a JSON list. The caller first gets
 * the titles with the first rows, and then every row.
 */
import { isUtf8 } from 'node:buffer'
import { UsageError } from '@assay/contract'
import type { Problems } from '../problems.ts'
import { CsvError, CsvParser, SEMICOLON, type CsvRow } from '../../documents/index.ts'
import type { PieceReading } from '../formats/read-file.ts'
import { isRecord, scalarText, type JsonRecord } from '../formats/record-rows.ts'
import { NOT_UTF8 } from '../formats/utf8.ts'
import type { ColumnSample } from '../table/column-profile.ts'

export interface TextRow {
  readonly place: number | string
  readonly text: (column: number) => string
  /** Whether numbers may have a decimal comma. */
  readonly decimalComma: boolean
}

/** Receives the titles and the first rows. Returns the function that receives every row, including the first ones. */
export type OpenTable = (titles: readonly string[], sample: ColumnSample) => (row: TextRow) => void

const LOOKED_AT = 500

export function readCsvTable(problems: Problems, open: OpenTable): PieceReading<number> {
  let titles: string[] | null = null
  let each: ((row: TextRow) => void) | null = null
  let rows = 0
  const held: CsvRow[] = []
  const rowOf = (row: CsvRow): TextRow => ({
    place: row.line,
    text: (column) => row.text(column).trim(),
    decimalComma: parser.delimiter === SEMICOLON,
  })
  const begin = (): void => {
    if (titles === null || each !== null) return
    each = open(
      titles,
      titles.map((_, column) => held.map((row) => row.text(column))),
    )
    for (const row of held.splice(0)) each(rowOf(row))
  }
  const parser = new CsvParser((row) => {
    if (titles === null) {
      titles = Array.from({ length: row.cells }, (_, cell) => row.text(cell).trim())
      return
    }
    const bytes = row.bytes.subarray(row.starts[0], row.ends[row.cells - 1])
    if (!isUtf8(bytes)) problems.add(row.line, NOT_UTF8)
    else if (row.cells !== titles.length)
      problems.add(row.line, `${row.cells} cells where the header has ${titles.length}`)
    else {
      rows++
      if (each !== null) each(rowOf(row))
      else if (held.push(row.copy()) === LOOKED_AT) begin()
    }
  })
  const placed = (work: () => void): void => {
    try {
      work()
    } catch (error) {
      if (!(error instanceof CsvError)) throw error
      problems.add(error.line, error.message)
      problems.stop()
    }
  }
  return {
    push: (chunk) => placed(() => parser.push(chunk)),
    end: () => {
      placed(() => parser.end())
      begin()
      return each === null ? null : rows
    },
  }
}

/** The maximum size of a JSON table, which is read as a whole. */
const LONGEST = 400 * 1024 * 1024
const DEEPEST = 3

export function readJsonTable(
  file: string,
  problems: Problems,
  open: OpenTable,
): PieceReading<number> {
  const chunks: Buffer[] = []
  let length = 0
  return {
    push: (chunk) => {
      length += chunk.length
      if (length > LONGEST)
        throw new UsageError(`${file} has more than ${LONGEST} bytes; write it as CSV`)
      chunks.push(chunk)
    },
    end: () => {
      const flat = recordsOf(Buffer.concat(chunks).toString('utf8'), problems).map(
        ({ record, place }) => ({ place, values: flatten(record, '', 1) }),
      )
      const titles = [...new Set(flat.flatMap(({ values }) => [...values.keys()]))]
      if (flat.length === 0) return null
      const first = flat.slice(0, LOOKED_AT)
      const each = open(
        titles,
        titles.map((title) => first.map(({ values }) => values.get(title) ?? '')),
      )
      for (const { place, values } of flat)
        each({
          place,
          text: (column) => values.get(titles[column] as string) ?? '',
          decimalComma: false,
        })
      return flat.length
    },
  }
}

function recordsOf(
  text: string,
  problems: Problems,
): { readonly record: JsonRecord; readonly place: number | string }[] {
  const list: { record: JsonRecord; place: number | string }[] = []
  const add = (value: unknown, place: number | string): void => {
    if (isRecord(value)) list.push({ record: value, place })
    else problems.add(place, 'expected an object')
  }
  try {
    const whole: unknown = JSON.parse(text)
    if (Array.isArray(whole)) for (const [i, one] of whole.entries()) add(one, `[${i}]`)
    else add(whole, 1)
    return list
  } catch {
    // The file is not one document, so it has one object on each line.
  }
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    try {
      add(JSON.parse(line), i + 1)
    } catch (error) {
      problems.add(i + 1, `no JSON: ${(error as Error).message}`)
    }
  }
  return list
}

function flatten(record: JsonRecord, above: string, depth: number): Map<string, string> {
  const values = new Map<string, string>()
  for (const [key, value] of Object.entries(record)) {
    const title = `${above}${key}`
    if (isRecord(value) && depth < DEEPEST)
      for (const [inner, text] of flatten(value, `${title}.`, depth + 1)) values.set(inner, text)
    else values.set(title, scalarText(value).trim())
  }
  return values
}
