/**
 * Reads the JSON that pandas writes for a table (`DataFrame.to_json`). With `orient="columns"`, its default, each
 * column is an object from row labels to values. With `orient="split"`, the names of the columns, the row labels and
 * the rows are three lists. With the other orients, the file is a list of objects, or an object by row label. Such a
 * file is read like any other JSON file.
 */
import { UsageError } from '@assay/contract'
import { GUESSES, plainName } from '../table/guesses.ts'
import { isRecord, type JsonRecord } from './record-rows.ts'

/** The rows of a table, and where they are in the file. */
interface TableRecords {
  readonly kind: string
  readonly records: readonly { readonly record: unknown; readonly place: string }[]
  readonly notes: readonly string[]
}

export const isPandas = (value: JsonRecord): boolean => isSplit(value) || isColumns(value)

export const pandasRecords = (value: JsonRecord): TableRecords =>
  isSplit(value) ? splitRecords(value) : columnRecords(value)

// ── orient="split" ───────────────────────────────────────────────────────────────────────────────────

const isSplit = ({ columns, data, index }: JsonRecord): boolean =>
  Array.isArray(columns) &&
  columns.length > 0 &&
  columns.every((name) => typeof name === 'string' || typeof name === 'number') &&
  Array.isArray(data) &&
  data.every((row) => Array.isArray(row)) &&
  (index === undefined || Array.isArray(index))

function splitRecords(value: JsonRecord): TableRecords {
  const names = (value['columns'] as readonly (string | number)[]).map(String)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined)
    throw new UsageError(`two columns are called "${twice}"; rename one of them`)
  const rows = value['data'] as readonly (readonly unknown[])[]
  return {
    kind: 'a table of pandas, orient="split"',
    records: rows.map((row, i) => ({
      place: `data[${i}]`,
      // If a row has the wrong length, it is passed on as a list. The caller then refuses it and reports its location.
      record: row.length === names.length ? recordOf(names, (_, column) => row[column]) : row,
    })),
    notes: [],
  }
}

// ── orient="columns" ─────────────────────────────────────────────────────────────────────────────────

const ROW_NUMBER = /^\d+$/

const KNOWN_NAMES = new Set([...GUESSES.passed, ...GUESSES.score].map(plainName))

/**
 * Whether every value is an object with the same keys, and these keys are row labels. They are row labels if they are
 * numbers, or if the outer keys include a usual name for a column of verdicts or scores. Otherwise the outer keys could
 * be the names of cases.
 */
function isColumns(value: JsonRecord): boolean {
  const [first, ...others] = Object.values(value)
  if (others.length === 0 || !isRecord(first) || !others.every(isRecord)) return false
  const labels = Object.keys(first)
  if (labels.length === 0) return false
  const isSame = others.every(
    (one) =>
      Object.keys(one).length === labels.length &&
      labels.every((label) => Object.hasOwn(one, label)),
  )
  if (!isSame) return false
  return (
    labels.every((label) => ROW_NUMBER.test(label)) ||
    (Object.keys(value).some((name) => KNOWN_NAMES.has(plainName(name))) &&
      !labels.some((label) => KNOWN_NAMES.has(plainName(label))))
  )
}

function columnRecords(value: JsonRecord): TableRecords {
  const names = Object.keys(value)
  const labels = Object.keys(value[names[0] as string] as JsonRecord)
  return {
    kind: 'a table of pandas, orient="columns"',
    records: labels.map((label) => ({
      place: `row ${label}`,
      record: recordOf(names, (name) => (value[name] as JsonRecord)[label]),
    })),
    notes: [],
  }
}

const recordOf = (
  names: readonly string[],
  valueOf: (name: string, at: number) => unknown,
): JsonRecord => Object.fromEntries(names.map((name, at) => [name, valueOf(name, at)]))
