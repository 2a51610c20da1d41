/**
 * Reads result files into one table. The first bytes of a file decide its format, not its name: gzip is
 * unpacked, a brace or a bracket starts JSON, and everything else is CSV. Files are streamed one after
 * another, and their hashes are kept as the origin of the figures.
 */
import { createHash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { UsageError } from '@assay/contract'
import { isRunFolder, openNamed } from '../log/index.ts'
import type { Mapping } from './table/column-map.ts'
import { Problems } from './problems.ts'
import { readCsv } from './formats/read-csv.ts'
import { readJson, type FileRead, type Reading } from './formats/read-json.ts'
import { ResultTable } from './table/result-table.ts'

export interface ReadFile extends FileRead {
  readonly path: string
  readonly sha256: string
  readonly rows: number
}

export interface Results {
  readonly table: ResultTable
  readonly files: readonly ReadFile[]
}

/** The suite of rows that do not name one. */
const UNNAMED_SUITE = 'results'

/**
 * Reads CSV or JSON files that other programs wrote, gzipped or not.
 *
 * @example
 * const { table } = await readResults(['runs.csv'], { case: 'subtest', subject: 'tier' })
 * table.rows
 */
export async function readResults(
  paths: readonly string[],
  mapping: Mapping = {},
): Promise<Results> {
  const table = new ResultTable()
  const files: ReadFile[] = []
  const suite = table.suites.idOf(UNNAMED_SUITE)
  const names = subjectNames(paths)
  for (const [i, path] of paths.entries()) {
    checkFile(path)
    const before = table.rows
    const problems = new Problems(path)
    // Created only on demand: the file name becomes a subject only if rows do not name theirs.
    const target = {
      table,
      problems,
      suite,
      ownSubject: () => table.subjectOf([table.parts.idOf(names[i] as string)]),
    }
    const { read, sha256 } = await readFile(path, (first) =>
      isJson(first, path) ? readJson(path, mapping, target) : readCsvFile(path, mapping, target),
    )
    problems.check()
    const rows = table.rows - before
    if (read === null || rows === 0) throw new UsageError(`${path} has no rows`)
    files.push({ path, sha256, rows, ...read, notes: [...read.notes, ...runNotes(path)] })
  }
  return { table, files }
}

function readCsvFile(...[path, mapping, target]: Parameters<typeof readCsv>): Reading {
  const reading = readCsv(path, mapping, target)
  return {
    push: reading.push,
    end: () => {
      const read = reading.end()
      return read === null ? null : { kind: 'CSV', ...read }
    },
  }
}

/**
 * One file per subject is common, so each subject gets the name of its file, or its path if file names are
 * equal.
 */
function subjectNames(paths: readonly string[]): string[] {
  const short = paths.map((path) =>
    basename(path).replace(/(?:\.(?:csv|tsv|txt|jsonl?|ndjson))?(?:\.gz)?$/i, ''),
  )
  return paths.map((path, i) => {
    const name = short[i] as string
    return name === '' || short.indexOf(name) !== short.lastIndexOf(name) ? path : name
  })
}

function checkFile(path: string): void {
  let isFolder: boolean
  try {
    isFolder = statSync(path).isDirectory()
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${(error as Error).message}`, { cause: error })
  }
  if (!isFolder) return
  throw new UsageError(
    isRunFolder(path)
      ? `${path} is a run of Assay: "assay report ${path}" summarises it`
      : `${path} is a folder; name the files in it`,
  )
}

/** A note for a log that is in its run folder: the log alone lacks the plan. */
const runNotes = (path: string): string[] =>
  isRunFolder(dirname(path))
    ? [`part of a run: "assay report ${dirname(path)}" also knows what was planned`]
    : []

/** This many bytes are enough to recognize every kind of file. */
const SHOWING = 4
const PIECE = 1 << 20

/** Streams a file, unpacked if it is gzipped, into the reader that `open` chooses by its first bytes. */
async function readFile(
  path: string,
  open: (first: Buffer) => Reading,
): Promise<{ read: FileRead | null; sha256: string }> {
  const hash = createHash('sha256')
  let reading: Reading | null = null
  let first = Buffer.alloc(0)
  const begin = (): Reading => {
    const text = withoutMark(first)
    const begun = open(text)
    begun.push(text)
    return begun
  }
  try {
    for await (const chunk of unpacked(path, (bytes) => hash.update(bytes)))
      if (reading !== null) reading.push(chunk)
      else {
        first = Buffer.concat([first, chunk])
        if (first.length >= SHOWING) reading = begin()
      }
    const read = (reading ?? begin()).end()
    return { read, sha256: hash.digest('hex') }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (error instanceof UsageError || code === undefined) throw error
    throw new UsageError(`cannot read ${path}: ${message}`, { cause: error })
  }
}

/** Yields the unpacked content of a file in pieces. `seen` gets the raw bytes of the file. */
async function* unpacked(path: string, seen: (bytes: Buffer) => void): AsyncGenerator<Buffer> {
  async function* pieces(): AsyncGenerator<Buffer> {
    for await (const piece of createReadStream(path, {
      fd: openNamed(path),
      highWaterMark: PIECE,
    })) {
      seen(piece as Buffer)
      yield piece as Buffer
    }
  }
  const all = pieces()
  const head = await all.next()
  if (head.done === true) return
  async function* whole(): AsyncGenerator<Buffer> {
    yield head.value as Buffer
    yield* all
  }
  if (head.value[0] !== 0x1f || head.value[1] !== 0x8b) yield* whole()
  else {
    // The empty callback is right: errors are thrown where the result is read.
    const gunzip = createGunzip({ chunkSize: PIECE })
    yield* pipeline(Readable.from(whole()), gunzip, () => {}) as AsyncIterable<Buffer>
  }
}

/** Removes a UTF-8 byte order mark. */
const withoutMark = (bytes: Buffer): Buffer =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes

const BINARY: readonly (readonly [string, string])[] = [
  ['\xff\xfe', 'is UTF-16; save it as UTF-8'],
  ['\xfe\xff', 'is UTF-16; save it as UTF-8'],
  ['PK\x03\x04', 'is a ZIP archive or a spreadsheet; export it as CSV'],
  ['PAR1', 'is a Parquet file; export it as CSV'],
]

function isJson(first: Buffer, path: string): boolean {
  for (const [mark, what] of BINARY)
    if (first.toString('latin1', 0, mark.length) === mark) throw new UsageError(`${path} ${what}`)
  const begins = /\S/.exec(first.toString('latin1', 0, 1024))?.[0]
  return begins === '{' || begins === '['
}
