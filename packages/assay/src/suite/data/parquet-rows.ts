/** Reads the rows of a Parquet file, one row group at a time. */
import { open } from 'node:fs/promises'
import type { Json } from '@assay/contract'
import type { AsyncBuffer, Compressors, FileMetaData } from 'hyparquet'
import { fileError, readable } from '../../documents/index.ts'
import type { DataFile } from './data-files.ts'
import { rowError, type Row, type TableRow } from './row.ts'

const MB = 1024 * 1024
const MOST_FILE = 2048 * MB
/**
 * The limits on the unpacked bytes of a page and of all columns in a row group. Without them, a small file that
 * claims to contain a lot of data could fill the memory.
 */
const MOST_PAGE = 256 * MB
const MOST_GROUP = 1024 * MB
const MOST_ROWS = 1_000_000

export async function* readParquetRows(
  { name, path }: DataFile,
  signal: AbortSignal | undefined,
): AsyncGenerator<Iterable<TableRow>> {
  const [{ parquetMetadataAsync, parquetReadObjects }, { compressors }] = await Promise.all([
    import('hyparquet'),
    import('hyparquet-compressors'),
  ])
  const handle = await open(path, 'r').catch((error: unknown) => {
    throw readable(name, error)
  })
  try {
    const { size } = await handle.stat()
    if (size > MOST_FILE)
      throw fileError(name, 'the file is too large', `at most ${MOST_FILE / MB} MB`)
    const file: AsyncBuffer = {
      byteLength: size,
      async slice(start, end = size) {
        const bytes = Buffer.alloc(Math.max(0, Math.min(end, size) - start))
        await handle.read(bytes, 0, bytes.length, start)
        return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)
      },
    }
    const metadata = await damaged(name, () => parquetMetadataAsync(file))
    checkSize(name, metadata)
    let start = 0
    for (const { num_rows: count } of metadata.row_groups) {
      signal?.throwIfAborted()
      const end = start + Number(count)
      const read = await damaged(name, () =>
        parquetReadObjects({
          file,
          metadata,
          rowStart: start,
          rowEnd: end,
          compressors: bounded(compressors),
        }),
      )
      if (read.length !== end - start)
        throw fileError(name, 'fewer rows than the file promises', 'a whole Parquet file')
      yield rowsIn(read, name, start)
      start = end
    }
  } finally {
    await handle.close()
  }
}

function* rowsIn(
  group: readonly Readonly<Record<string, unknown>>[],
  file: string,
  before: number,
): Generator<TableRow> {
  for (const [index, values] of group.entries()) {
    const number = before + index + 1
    yield { row: rowOf(values, file, number), number, line: null }
  }
}

/** Runs a step of the Parquet reader. Every error that it throws is reported as damage of the file. */
async function damaged<T>(name: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw fileError(name, `a Parquet file that cannot be read (${why})`, 'a whole Parquet file')
  }
}

function checkSize(name: string, metadata: FileMetaData): void {
  const rows = metadata.row_groups.reduce((sum, { num_rows: count }) => sum + Number(count), 0)
  if (!(rows >= 0 && rows <= MOST_ROWS))
    throw fileError(name, `${rows} rows`, `at most ${MOST_ROWS}, in several files`)
  for (const { total_byte_size: bytes } of metadata.row_groups)
    if (Number(bytes) > MOST_GROUP)
      throw fileError(name, 'a row group that is too large', `at most ${MOST_GROUP / MB} MB`)
}

/** Returns the decompressors, each with a limit on the bytes that it unpacks. */
function bounded(all: Compressors): Compressors {
  const limited = Object.entries(all).map(([codec, unpack]) => [
    codec,
    (input: Uint8Array, length: number) => {
      if (length > MOST_PAGE) throw new Error(`a page of ${length} bytes`)
      return unpack(input, length)
    },
  ])
  return Object.fromEntries(limited) as Compressors
}

function rowOf(values: Readonly<Record<string, unknown>>, file: string, number: number): Row {
  const row = Object.create(null) as Record<string, Json>
  for (const [column, value] of Object.entries(values)) {
    const read = jsonOf(value)
    if (read === undefined)
      throw rowError(file, null, number, `bytes in column ${column}`, 'text, a number or a list')
    row[column] = read
  }
  return row
}

/**
 * Returns a value of a column as JSON. Integers beyond 2⁵³ become text, because JSON numbers would round them. Bytes
 * that are not text become undefined.
 */
function jsonOf(value: unknown): Json | undefined {
  if (value === null || value === undefined) return null
  if (typeof value === 'bigint')
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  if (value instanceof Uint8Array) return undefined
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    const items = Array.from(value as Iterable<unknown>, jsonOf)
    return items.includes(undefined) ? undefined : (items as Json[])
  }
  if (typeof value !== 'object') return undefined
  const entries = Object.entries(value).map(([key, inner]) => [key, jsonOf(inner)] as const)
  if (entries.some(([, inner]) => inner === undefined)) return undefined
  return Object.fromEntries(entries) as Json
}
