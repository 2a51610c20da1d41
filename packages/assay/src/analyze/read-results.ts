/**
 * Files of results into one table. What a file is shows in its first bytes, not in its name: gzip is
 * unpacked on the way, a brace or a bracket begins JSON, and everything else is CSV. Files are read as
 * streams, one after another, and their hashes are kept as the origin of the figures.
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

/** What rows belong to that name no suite. */
const UNNAMED_SUITE = 'results'

/**
 * Reads files that others wrote, CSV or JSON, gzipped or not.
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
    // Made only where it is needed: the file's name is no subject where rows name theirs.
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

/** One file per subject is common: each is called by its file, or its path where files are called alike. */
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

/** A log beside its own plan says less alone. */
const runNotes = (path: string): string[] =>
  isRunFolder(dirname(path))
    ? [`part of a run: "assay report ${dirname(path)}" also knows what was planned`]
    : []

/** The bytes that every kind of file shows itself by. */
const SHOWING = 4
const PIECE = 1 << 20

/** Streams a file, unpacked if need be, into whatever `open` makes of its beginning. */
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

/** The text of a file in pieces; the bytes of the file itself go to `seen`. */
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
    // Errors on the way are thrown where the result is read.
    const gunzip = createGunzip({ chunkSize: PIECE })
    yield* pipeline(Readable.from(whole()), gunzip, () => {}) as AsyncIterable<Buffer>
  }
}

/** Without the mark that some programs put before UTF-8. */
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
