/**
 * Reads result files into one table. The format of a file is recognized by its first bytes, not by its name: gzip is
 * unpacked, a brace or a bracket starts JSON, and everything else is CSV. Files are streamed one after another. Their
 * hashes are kept, because the report names the files and their hashes as the origin of its figures.
 */
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { basename, dirname, relative } from 'node:path'
import { UsageError, shellPath } from '@assay/contract'
import { isRunFolder } from '../log/index.ts'
import { counted } from '../text/index.ts'
import type { ColumnMap, Mapping } from './table/column-map.ts'
import { Problems } from './problems.ts'
import { ColumnRemarks, type SetAside } from './table/column-remarks.ts'
import { readCsv } from './formats/read-csv.ts'
import { isJson, readFile } from './formats/read-file.ts'
import { judgmentFiles } from './formats/judgment-file.ts'
import { readJson, type FileRead, type Reading } from './formats/read-json.ts'
import { ResultTable } from './table/result-table.ts'

export interface ReadFile extends FileRead {
  readonly path: string
  readonly sha256: string
  readonly rows: number
  /** The values of each column that were ignored because they were out of range or could not be read. */
  readonly setAside: readonly SetAside[]
  /** The columns of a file with the judges' marks. Such a file contains no runs. */
  readonly judgments?: Pick<ColumnMap, 'chosen' | 'unused'>
}

export interface Results {
  readonly table: ResultTable
  readonly files: readonly ReadFile[]
}

/** The name of the suite for rows that do not name one. */
const UNNAMED_SUITE = 'results'

/**
 * Reads CSV or JSON files that other programs wrote, gzipped or not.
 *
 * @example
 * const { table } = await readResults(['runs.csv'], { case: 'subtest', subject: 'tier' })
 * table.rows
 */
export async function readResults(
  given: readonly string[],
  mapping: Mapping = {},
): Promise<Results> {
  const groups = given.map(filesAt)
  const paths = groups.flat()
  const table = new ResultTable()
  const files: ReadFile[] = []
  const suite = table.suites.idOf(UNNAMED_SUITE)
  const names = subjectNames(paths)
  for (const [i, path] of paths.entries()) {
    checkFile(path)
    const before = table.rows
    const problems = new Problems(path, mapping.skipBadRows)
    const remarks = new ColumnRemarks(path, table)
    // The file's name is added as a subject only when it is needed, because only rows that do not name a subject use
    // it.
    const target = {
      table,
      problems,
      remarks,
      suite,
      ownSubject: () => table.subjectOf([table.parts.idOf(names[i] as string)]),
    }
    const { read, sha256 } = await readFile(path, mapping.encoding, (first) =>
      isJson(first, path) ? readJson(path, mapping, target) : readCsvFile(path, mapping, target),
    )
    problems.check()
    remarks.check()
    const rows = table.rows - before
    if (read === null || rows === 0) throw new UsageError(`${path} has no rows`)
    const notes = [...problems.notes(), ...remarks.notes(), ...read.notes, ...runNotes(path)]
    files.push({ path, sha256, rows, ...read, setAside: remarks.asides(), notes })
  }
  return { table, files: given.map((path, i) => asOne(path, files.splice(0, groups[i]?.length))) }
}

/**
 * Combines the files of a folder into one origin. A list of a thousand judgment files would tell the reader nothing.
 */
function asOne(path: string, files: readonly ReadFile[]): ReadFile {
  const [only] = files
  if (only !== undefined && files.length === 1 && only.path === path) return only
  const hash = createHash('sha256')
  for (const one of files) hash.update(`${one.sha256} ${relative(path, one.path)}\n`)
  const notes = new Map<string, number>()
  for (const note of files.flatMap((one) => one.notes)) notes.set(note, (notes.get(note) ?? 0) + 1)
  const [first, ...others] = notes.keys()
  const more = others.length === 0 ? '' : `, and so for ${counted(others.length, 'other file')}`
  return {
    path,
    sha256: hash.digest('hex'),
    rows: files.reduce((sum, { rows }) => sum + rows, 0),
    kind: counted(files.length, 'judgment'),
    map: null,
    setAside: files.flatMap(({ setAside }) => setAside),
    notes: first === undefined ? [] : [`${first}${more}`],
  }
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
 * Returns a subject name for each file, because many users have one file per subject. It is the file's name, or its
 * path if two files have the same name.
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

/** Returns the judgment files in a folder. A path that is not such a folder is returned as it is. */
function filesAt(path: string): string[] {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  const found = isFolder && !isRunFolder(path) ? judgmentFiles(path) : []
  return found.length === 0 ? [path] : found
}

export function checkFile(path: string): void {
  let isFolder: boolean
  try {
    isFolder = statSync(path).isDirectory()
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${(error as Error).message}`, { cause: error })
  }
  if (!isFolder) return
  throw new UsageError(
    isRunFolder(path)
      ? `${path} is a run of Assay: "assay report ${shellPath(path)}" summarises it`
      : `${path} is a folder; name the files in it`,
  )
}

/**
 * Returns a note if the file is a log inside its run folder. Read alone, the log does not contain the plan of the run.
 */
const runNotes = (path: string): string[] =>
  isRunFolder(dirname(path))
    ? [`part of a run: "assay report ${shellPath(dirname(path))}" also knows what was planned`]
    : []
