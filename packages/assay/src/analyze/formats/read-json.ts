/**
 * Reads JSON files: lines of objects, or one document. The first line decides: if it is a complete object,
 * the file consists of lines; otherwise it is a document, which is read as a whole. Known formats are
 * recognized by their own fields. All others are read by a mapping of their keys.
 */
import { isUtf8 } from 'node:buffer'
import { UsageError } from '@assay/contract'
import { counted } from '../../text/index.ts'
import { addAssayTrial, checkAssayLine, OWN_TRIALS, trialsVersion } from './assay-trials.ts'
import { addEvalSetReport, isEvalSetReport } from './eval-set-report.ts'
import { readRecords } from './json-records.ts'
import type { ColumnMap, Mapping } from '../table/column-map.ts'
import { found } from '../problems.ts'
import { isRecord, shown, type JsonRecord } from './record-rows.ts'
import type { RowTarget } from '../table/row-target.ts'
import { NOT_UTF8 } from './utf8.ts'
import { addTrialResult, isTrialResult } from './trial-results.ts'

/** The kind of a file and how its columns were understood. */
export interface FileRead {
  /** The kind of file, as shown to the user. */
  readonly kind: string
  /** Null if the format is known and no mapping was needed. */
  readonly map: ColumnMap | null
  readonly notes: readonly string[]
}

/** Reads a file in pieces. */
export interface Reading {
  readonly push: (chunk: Buffer) => void
  /** Returns null if the file was empty. */
  readonly end: () => FileRead | null
}

const LF = 0x0a
const LONGEST_LINE = 64 * 1024 * 1024
/** The longest possible string in JavaScript is not much longer. */
const LONGEST_DOCUMENT = 400 * 1024 * 1024

/** Processes the records, once the first one has shown their kind. */
interface Records {
  readonly add: (record: JsonRecord, line: number) => void
  readonly end: () => FileRead | null
}

export function readJson(file: string, mapping: Mapping, target: RowTarget): Reading {
  let records: Records | null = null
  let document: Buffer[] | null = null
  let length = 0

  const line = (bytes: Buffer, number: number): void => {
    if (!isUtf8(bytes)) {
      target.problems.add(number, NOT_UTF8)
      return
    }
    if (document !== null) return keep(bytes)
    const text = bytes.toString('utf8')
    if (text.trim() === '') return
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch (error) {
      if (records === null) {
        document = []
        return keep(bytes)
      }
      target.problems.add(number, `no JSON: ${(error as Error).message}`)
      return
    }
    if (records === null && (!isRecord(value) || isEvalSetReport(value))) {
      document = []
      return keep(bytes)
    }
    if (!isRecord(value)) {
      target.problems.add(number, `expected a JSON object on each line, found ${shown(value)}`)
      return
    }
    if (records === null) records = recordsOf(value, file, mapping, target)
    records.add(value, number)
  }
  const keep = (bytes: Buffer): void => {
    length += bytes.length
    if (length > LONGEST_DOCUMENT)
      throw new UsageError(
        `${file} is one JSON document of more than ${LONGEST_DOCUMENT} bytes; write it as lines of JSON`,
      )
    document?.push(bytes, Buffer.of(LF))
  }
  const lines = splitLines(file, line)
  return {
    push: lines.push,
    end: () => {
      lines.end()
      // If lines were skipped, the document is not valid JSON. Report the skipped lines first: they are the
      // cause.
      if (document !== null) target.problems.check()
      if (document !== null) return readDocument(Buffer.concat(document), file, mapping, target)
      return records?.end() ?? null
    },
  }
}

function recordsOf(first: JsonRecord, file: string, mapping: Mapping, target: RowTarget): Records {
  const version = trialsVersion(first, file)
  if (version !== null)
    return {
      add: (record, line) => {
        checkAssayLine(record, line, version, target)
        if (record !== first) addAssayTrial(record, line, target)
      },
      end: () => ({ kind: OWN_TRIALS, map: null, notes: [] }),
    }
  if (isTrialResult(first)) {
    let others = 0
    return {
      add: (record, line) => {
        if (isTrialResult(record)) addTrialResult(record, line, target)
        else others++
      },
      end: () => ({
        kind: 'trial results',
        map: null,
        notes: others === 0 ? [] : [`${counted(others, 'record')} of other types left out`],
      }),
    }
  }
  const reading = readRecords(file, mapping, target)
  return {
    add: reading.add,
    end: () => ({ kind: 'JSON lines', map: reading.end(), notes: [] }),
  }
}

function readDocument(
  bytes: Buffer,
  file: string,
  mapping: Mapping,
  target: RowTarget,
): FileRead | null {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw new UsageError(`${file} is no JSON: ${(error as Error).message}`, { cause: error })
  }
  if (isEvalSetReport(value))
    return { kind: 'an eval-set report', map: null, notes: addEvalSetReport(value, target) }
  if (!Array.isArray(value))
    throw new UsageError(
      `${file} is a JSON document of no known kind; lines of objects, a list of objects and eval-set reports are read. It begins with ${found(bytes.toString('utf8', 0, 60))}`,
    )
  const reading = readRecords(file, mapping, target)
  for (const [i, record] of value.entries())
    if (isRecord(record)) reading.add(record, `[${i}]`)
    else target.problems.add(`[${i}]`, `expected an object, found ${shown(record)}`)
  return { kind: 'a JSON list', map: reading.end(), notes: [] }
}

/** Splits a stream of bytes into lines, numbered from 1, without line ends. */
function splitLines(
  file: string,
  each: (bytes: Buffer, number: number) => void,
): { push: (chunk: Buffer) => void; end: () => void } {
  let held: Buffer[] = []
  let bytes = 0
  let number = 1
  return {
    push: (chunk) => {
      let start = 0
      for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
        const tail = chunk.subarray(start, end)
        each(bytes === 0 ? tail : Buffer.concat([...held, tail]), number++)
        held = []
        bytes = 0
        start = end + 1
      }
      held.push(chunk.subarray(start))
      bytes += chunk.length - start
      if (bytes > LONGEST_DOCUMENT || (number > 1 && bytes > LONGEST_LINE))
        throw new UsageError(`${file}:${number}: a line of more than ${LONGEST_LINE} bytes`)
    },
    end: () => {
      if (bytes > 0) each(Buffer.concat(held), number)
    },
  }
}
