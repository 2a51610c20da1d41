/**
 * Reads the rows of a data file. The file name's extension says which format it has: CSV, TSV, JSON, JSON lines,
 * YAML or Parquet. All but Parquet may be compressed with gzip. Rows are read in batches, so that a large file needs
 * little memory and a row needs no asynchronous step of its own.
 */
import path from 'node:path'
import type { Json } from '@assay/contract'
import {
  fileError,
  isRecord,
  parseJson,
  positionAt,
  readDocument,
  readHead,
  readLineBatches,
  readText,
  SyntaxProblem,
  type Line,
  type Position,
} from '../../documents/index.ts'
import { readCsvRows } from './csv-rows.ts'
import type { DataFile } from './data-files.ts'
import { readParquetRows } from './parquet-rows.ts'
import { rowError, type Row, type TableRow } from './row.ts'

const FORMATS = 'a name that ends in .csv, .tsv, .json, .jsonl, .ndjson, .yaml, .yml or .parquet'

/**
 * Yields the rows of a file in batches. If the file cannot be read as a table, throws a `SuiteError` that names the
 * location. A batch may parse a row only when it is taken, so use up a batch before the next one.
 */
export async function* readTable(
  file: DataFile,
  signal: AbortSignal | undefined,
): AsyncGenerator<Iterable<TableRow>> {
  switch (endingOf(file.name)) {
    case 'csv':
    case 'tsv':
      return yield* readCsvRows(file, signal)
    case 'jsonl':
    case 'ndjson':
      return yield* readJsonLines(file, signal)
    case 'json':
      // Many files with JSON lines have the extension .json, so the content decides.
      if (await isJsonLines(file.path)) return yield* readJsonLines(file, signal)
      return yield* readDocumentRows(file, 'json', signal)
    case 'yaml':
    case 'yml':
      return yield* readDocumentRows(file, 'yaml', signal)
    case 'parquet':
      return yield* readParquetRows(file, signal)
    default:
      throw fileError(file.name, 'a data file of an unknown kind', FORMATS)
  }
}

const endingOf = (name: string): string =>
  path.posix.extname(name.toLowerCase().replace(/\.gz$/, '')).slice(1)

const HEAD = 64 * 1024

async function isJsonLines(file: string): Promise<boolean> {
  const { text } = await readHead(file, HEAD)
  const [first = '', second] = text.trimStart().split('\n', 2)
  return first.trimEnd().startsWith('{') && first.trimEnd().endsWith('}') && second !== undefined
}

async function* readJsonLines(
  { name, path: file }: DataFile,
  signal: AbortSignal | undefined,
): AsyncGenerator<Iterable<TableRow>> {
  let number = 0
  const rowsIn = function* (lines: Iterable<Line>): Generator<TableRow> {
    for (const { text, number: line } of lines) {
      if (text.trim() === '') continue
      number++
      let value: Json
      try {
        value = parsed(text)
      } catch (error) {
        if (!(error instanceof SyntaxProblem)) throw error
        const { column } = positionAt(text, error.offset)
        throw rowError(name, { line, column }, number, error.found, error.expected)
      }
      yield { row: rowOf(value, name, { line, column: 1 }, number), number, line }
    }
  }
  for await (const lines of readLineBatches(file, signal)) yield rowsIn(lines)
}

/**
 * Parses a row with `JSON.parse`. If that fails, or if a key occurs twice, a slower parser reads the row. The slower
 * parser accepts Python's NaN. It refuses a repeated key, for which `JSON.parse` would silently keep only the last
 * value.
 */
function parsed(text: string): Json {
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch {
    return parseJson(text).value
  }
  return keysIn(value) === keysWritten(text) ? value : parseJson(text).value
}

function keysIn(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = Array.isArray(value) ? 0 : Object.keys(value).length
  for (const one of Object.values(value)) count += keysIn(one)
  return count
}

const TEXT = /"(?:[^"\\]|\\.)*"(\s*:)?/gs

function keysWritten(text: string): number {
  let count = 0
  for (const [, colon] of text.matchAll(TEXT)) if (colon !== undefined) count++
  return count
}

async function* readDocumentRows(
  { name, path: file }: DataFile,
  syntax: 'json' | 'yaml',
  signal: AbortSignal | undefined,
): AsyncGenerator<Iterable<TableRow>> {
  const document = readDocument(name, await readText(file, signal), syntax)
  const { value } = document
  if (!Array.isArray(value)) throw fileError(name, 'no list', 'a list of rows')
  const rows = function* (): Generator<TableRow> {
    for (const [index, entry] of (value as Json[]).entries()) {
      const position = (): Position | null => document.locate([index], 'value')
      const row = isRecord(entry) ? (entry as Row) : rowOf(entry, name, position(), index + 1)
      yield { row, number: index + 1, line: null }
    }
  }
  yield rows()
}

function rowOf(value: Json, file: string, position: Position | null, number: number): Row {
  if (isRecord(value)) return value
  const found = Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`
  throw rowError(file, position, number, found, 'an object with the columns of the row')
}
