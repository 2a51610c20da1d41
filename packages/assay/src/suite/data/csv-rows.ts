/** Reads the rows of a CSV or TSV file. Every cell is text, even if it looks like a number, a date or a formula. */
import { isUtf8 } from 'node:buffer'
import { counted } from '../../text/index.ts'
import {
  CsvError,
  CsvParser,
  fileError,
  quote,
  readBytes,
  type CsvRow,
} from '../../documents/index.ts'
import type { DataFile } from './data-files.ts'
import { rowError, type TableRow } from './row.ts'

const MOST_COLUMNS = 10_000
const BOM = Buffer.from([0xef, 0xbb, 0xbf])

export async function* readCsvRows(
  { name, path }: DataFile,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly TableRow[]> {
  let header: readonly string[] | null = null
  let number = 0
  let ready: TableRow[] = []
  const parser = new CsvParser((row) => {
    if (header === null) header = headerOf(row, name)
    else ready.push(rowOf(row, header, ++number, name))
  })
  let isFirst = true
  const take = (): TableRow[] => {
    const rows = ready
    ready = []
    return rows
  }
  try {
    for await (const chunk of readBytes(path)) {
      signal?.throwIfAborted()
      if (isFirst && (chunk[0] === 0xff || chunk[0] === 0xfe))
        throw fileError(name, 'a file in UTF-16', 'a file saved as UTF-8')
      parser.push(isFirst && chunk.subarray(0, 3).equals(BOM) ? chunk.subarray(3) : chunk)
      isFirst = false
      yield take()
    }
    parser.end()
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw rowError(name, { line: error.line, column: 1 }, number + 1, error.message, 'a CSV row')
  }
  yield take()
  if (header === null) throw fileError(name, 'an empty file', 'a header and rows')
}

function headerOf(row: CsvRow, file: string): readonly string[] {
  const place = { line: row.line, column: 1 }
  if (row.cells > MOST_COLUMNS)
    throw rowError(file, place, 0, `${row.cells} columns`, `at most ${MOST_COLUMNS} columns`)
  const names: string[] = []
  for (let cell = 0; cell < row.cells; cell++) names.push(textAt(row, cell, file, 0))
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined)
    throw rowError(file, place, 0, `two columns ${quote(repeated)}`, 'columns with different names')
  return names
}

function rowOf(row: CsvRow, header: readonly string[], number: number, file: string): TableRow {
  if (row.cells !== header.length)
    throw rowError(
      file,
      { line: row.line, column: 1 },
      number,
      counted(row.cells, 'cell', 'cells'),
      `${counted(header.length, 'cell', 'cells')}, as many as the header has columns (a cell with a comma is put in double quotes)`,
    )
  const cells = Object.create(null) as Record<string, string>
  for (let cell = 0; cell < header.length; cell++)
    cells[header[cell] as string] = textAt(row, cell, file, number)
  return { row: cells, number, line: row.line }
}

function textAt(row: CsvRow, cell: number, file: string, number: number): string {
  const bytes = row.bytes.subarray(row.starts[cell], row.ends[cell])
  if (!isUtf8(bytes))
    throw rowError(
      file,
      { line: row.line, column: 1 },
      number,
      `a cell that is not UTF-8 text (cell ${cell + 1})`,
      'a file saved as UTF-8',
    )
  return row.text(cell)
}
