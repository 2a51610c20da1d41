/**
 * Reads JSON files. A file has one object per line, or it is one JSON document. The first line decides: if it is a
 * complete object, the file consists of such lines. Otherwise the file is a document, which is read as a whole. Known
 * formats are recognized by their own fields. All other files are read with a mapping from keys to meanings.
 */
import { isUtf8 } from 'node:buffer'
import { UsageError } from '@assay/contract'
import { counted } from '../../text/index.ts'
import { addAssayTrial, checkAssayLine, OWN_TRIALS, trialsVersion } from './assay-trials.ts'
import { addEvalSetReport, isEvalSetReport } from './eval-set-report.ts'
import { hasList, INSPECT_LOG, isDocument, recordsIn } from './json-documents.ts'
import { addJudgment, isJudgment } from './judgment-file.ts'
import { readRecords } from './json-records.ts'
import type { ColumnMap, Mapping } from '../table/column-map.ts'
import { found } from '../problems.ts'
import { isRecord, shown, type JsonRecord } from './record-rows.ts'
import type { RowTarget } from '../table/row-target.ts'
import { NOT_UTF8 } from './utf8.ts'
import { addTrialResult, isTrialResult } from './trial-results.ts'

/** The format of a file, and what its columns mean. */
export interface FileRead {
  /** The name of the format, as shown to the user. */
  readonly kind: string
  /** What the columns mean. Null if the format is known, because then no mapping is needed. */
  readonly map: ColumnMap | null
  readonly notes: readonly string[]
}

/** Receives a file in pieces. */
export interface Reading {
  readonly push: (chunk: Buffer) => void
  /** Called at the end of the file. Returns null if the file was empty. */
  readonly end: () => FileRead | null
}

const LF = 0x0a
const LONGEST_LINE = 64 * 1024 * 1024
/**
 * The maximum size of a JSON document. A document is decoded as one string, and the longest possible string in
 * JavaScript is not much longer.
 */
const LONGEST_DOCUMENT = 400 * 1024 * 1024

/** Processes the records of a file. The first record decides which format they have. */
interface Records {
  readonly add: (record: JsonRecord, line: number) => void
  readonly end: () => FileRead | null
}

export function readJson(file: string, mapping: Mapping, target: RowTarget): Reading {
  let records: Records | null = null
  /**
   * The first line, if it contains a list. If no other line follows, the line is a whole document. Otherwise it is one
   * record of many.
   */
  let only: { value: JsonRecord; bytes: Buffer; number: number } | null = null
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
      if (records === null && only === null) {
        document = []
        return keep(bytes)
      }
      target.problems.add(number, `no JSON: ${(error as Error).message}`)
      return
    }
    if (
      records === null &&
      only === null &&
      (!isRecord(value) || isEvalSetReport(value) || isJudgment(value) || isDocument(value))
    ) {
      document = []
      return keep(bytes)
    }
    if (!isRecord(value)) {
      target.problems.add(number, `expected a JSON object on each line, found ${shown(value)}`)
      return
    }
    if (records === null && only === null && hasList(value)) {
      only = { value, bytes, number }
      return
    }
    if (records === null) {
      records = recordsOf(only?.value ?? value, file, mapping, target)
      if (only !== null) records.add(only.value, only.number)
      only = null
    }
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
      if (only !== null) {
        document = []
        keep(only.bytes)
      }
      // If lines were skipped because they are not valid UTF-8, the rest is not valid JSON either. Then the skipped
      // lines are reported, because they are the cause.
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
    end: () => ({ kind: 'JSON lines', map: reading.end(), notes: reading.notes() }),
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
    throw new UsageError(`${file} is not valid JSON: ${(error as Error).message}`, { cause: error })
  }
  if (isEvalSetReport(value))
    return { kind: 'an eval-set report', map: null, notes: addEvalSetReport(value, target) }
  if (isJudgment(value))
    return { kind: 'a judgment', map: null, notes: addJudgment(value, file, target) }
  const document = Array.isArray(value)
    ? {
        kind: 'a JSON list',
        records: value.map((record: unknown, i) => ({ record, place: `[${i}]` })),
        notes: [],
      }
    : recordsIn(value, mapping.passed)
  if (document === null)
    throw new UsageError(
      `${file} is a JSON document of no known kind: there is no list of objects in it. Lines of objects, lists of objects and the reports that "assay analyze --help" names are read. It begins with ${shownStart(bytes)}`,
    )
  const { passed } = mapping
  const isScorer = passed !== undefined && document.kind === INSPECT_LOG
  const reading = readRecords(file, isScorer ? { ...mapping, passed: 'passed' } : mapping, target)
  for (const { record, place } of document.records)
    if (isRecord(record)) reading.add(record, place)
    else target.problems.add(place, `expected an object, found ${shown(record)}`)
  return { kind: document.kind, map: reading.end(), notes: [...document.notes, ...reading.notes()] }
}

const shownStart = (bytes: Buffer): string => found(bytes.toString('utf8', 0, 60))

/**
 * Splits a stream of bytes into lines. Calls back with each line without its line end, and with its number (from 1).
 */
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
