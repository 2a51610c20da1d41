/**
 * Reads JSON objects of any shape by a mapping of their keys; dots name keys inside objects. Not every record
 * has every key, so the first few hundred records are read before the mapping is decided.
 */
import { VERDICTS } from '../table/csv-field.ts'
import { humanEvalReason } from './human-eval.ts'
import { mapColumns } from '../table/mapping.ts'
import type { ColumnMap, Mapping } from '../table/column-map.ts'
import { isRecord, RecordRows, valueAt, type JsonRecord, type Place } from './record-rows.ts'
import { thresholdVerdict, type RowTarget } from '../table/row-target.ts'

const LOOKED_AT = 500
const MOST_TITLES = 2000
const DEEPEST = 3

/** Reads records one by one. */
export interface RecordReading {
  readonly add: (record: JsonRecord, place: Place) => void
  /** Returns the mapping; null if the file had no records. */
  readonly end: () => ColumnMap | null
}

export function readRecords(file: string, mapping: Mapping, target: RowTarget): RecordReading {
  const rows = new RecordRows(target)
  const first: [JsonRecord, Place][] = []
  const paths = new Map<string, readonly string[]>()
  let add: ((record: JsonRecord, place: Place) => void) | null = null
  let map: ColumnMap | null = null

  const begin = (): void => {
    map = mapColumns([...paths.keys()], mapping, file)
    add = adder(map, [...paths.values()], rows)
    for (const [record, place] of first.splice(0)) add(record, place)
  }
  return {
    add: (record, place) => {
      if (add !== null) return add(record, place)
      collectPaths(record, [], paths)
      if (first.push([record, place]) === LOOKED_AT) begin()
    },
    end: () => {
      if (add === null && first.length > 0) begin()
      return map
    },
  }
}

function collectPaths(
  record: JsonRecord,
  above: readonly string[],
  paths: Map<string, readonly string[]>,
): void {
  for (const [key, value] of Object.entries(record)) {
    const path = [...above, key]
    if (isRecord(value) && path.length < DEEPEST) collectPaths(value, path, paths)
    else if (paths.size < MOST_TITLES && !paths.has(path.join('.'))) paths.set(path.join('.'), path)
  }
}

function adder(
  map: ColumnMap,
  paths: readonly (readonly string[])[],
  rows: RecordRows,
): (record: JsonRecord, place: Place) => void {
  const { table } = rows.target
  const title = (column: number): string => map.titles[column] as string
  return (record, place) => {
    const at = (column: number): unknown => valueAt(record, paths[column] as readonly string[])
    const one = rows.name(place, title(map.case), at(map.case), table.cases)
    const suite =
      map.suite === null
        ? rows.target.suite
        : rows.name(place, title(map.suite), at(map.suite), table.suites)
    const subject = rows.subject(
      place,
      map.subject.map((column) => [title(column), at(column)]),
    )
    const verdict =
      map.passed === null
        ? VERDICTS.unscored
        : rows.verdict(place, title(map.passed), at(map.passed))
    if (one === null || suite === null || subject === null || verdict === null) return
    const row = table.add(suite, one, subject, verdict)
    for (const number of map.numbers) rows.number(row, place, number, at(number.column))
    if (map.threshold !== null)
      table.setVerdict(row, thresholdVerdict(table.numberAt('score', row), map.threshold))
    if (map.index !== null) rows.index(row, place, title(map.index), at(map.index))
    if (map.source !== null) table.setSource(subject, at(map.source))
    const result = map.result === null ? null : at(map.result)
    if (typeof result === 'string' && verdict === VERDICTS.failed)
      table.setReason(row, humanEvalReason(result))
  }
}
