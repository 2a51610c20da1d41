/**
 * Reads JSON objects of any shape with a mapping from keys to meanings. A key with dots, such as `usage.cost`, names a
 * key inside a nested object. If the verdicts are in a list inside the object, such as `trials.passed`, each item of
 * the list is a trial. Not every record has every key. So the mapping is decided only after the first few hundred
 * records have been read.
 */
import { UsageError } from '@assay/contract'
import { counted } from '../../text/index.ts'
import { textHash } from '../table/case-texts.ts'
import { VERDICTS } from '../table/csv-field.ts'
import { humanEvalReason } from './human-eval.ts'
import { mapColumns } from '../table/mapping.ts'
import type { ColumnMap, Mapping } from '../table/column-map.ts'
import {
  isRecord,
  RecordRows,
  scalarText,
  valueAt,
  type JsonRecord,
  type Place,
} from './record-rows.ts'
import { thresholdVerdict, type RowTarget } from '../table/row-target.ts'

const LOOKED_AT = 500
const MOST_TITLES = 2000
const DEEPEST = 4
/** The number of items of a list inside a record that are used to guess the columns. */
const ITEMS_SEEN = 3

/** Receives the records of a file one by one. */
export interface RecordReading {
  readonly add: (record: JsonRecord, place: Place) => void
  /** Called at the end of the file. Returns the mapping, or null if the file had no records. */
  readonly end: () => ColumnMap | null
  readonly notes: () => string[]
}

/** Where the values of a column are in a record. */
interface ValuePath {
  readonly keys: readonly string[]
  /**
   * If the values are in a list: the number of keys that lead to the list. The remaining keys are looked up in its
   * items.
   */
  readonly list: number | null
}

export function readRecords(file: string, mapping: Mapping, target: RowTarget): RecordReading {
  const rows = new RecordRows(target)
  const first: [JsonRecord, Place][] = []
  const paths = new Map<string, ValuePath>()
  let adder: RecordAdder | null = null

  const begin = (): RecordAdder => {
    const all = [...paths.values()]
    const sample = all.map((path) => first.flatMap(([record]) => textsAt(record, path)))
    const map = mapColumns([...paths.keys()], sample, mapping, file)
    const begun = new RecordAdder(map, all, rows, file)
    for (const [record, place] of first.splice(0)) begun.add(record, place)
    return begun
  }
  return {
    add: (record, place) => {
      if (adder !== null) return adder.add(record, place)
      collectPaths(record, { keys: [], list: null }, paths)
      if (first.push([record, place]) === LOOKED_AT) adder = begin()
    },
    end: () => {
      if (adder === null && first.length > 0) adder = begin()
      return adder?.map ?? null
    },
    notes: () => adder?.notes() ?? [],
  }
}

function collectPaths(record: JsonRecord, above: ValuePath, paths: Map<string, ValuePath>): void {
  for (const [key, value] of Object.entries(record)) {
    const keys = [...above.keys, key]
    if (isRecord(value) && keys.length < DEEPEST) {
      collectPaths(value, { keys, list: above.list }, paths)
      continue
    }
    let list = above.list
    if (Array.isArray(value) && list === null) {
      list = keys.length
      const items: readonly unknown[] = value
      const objects = items.slice(0, ITEMS_SEEN).filter(isRecord)
      for (const item of objects) collectPaths(item, { keys, list }, paths)
      if (objects.length > 0) continue
    }
    const title = keys.join('.')
    if (paths.size < MOST_TITLES && !paths.has(title)) paths.set(title, { keys, list })
  }
}

/**
 * Returns the values at a path as texts, to guess the column's meaning. The text is empty if a record has no value
 * there.
 */
function textsAt(record: JsonRecord, { keys, list }: ValuePath): string[] {
  const text = (value: unknown): string => scalarText(value).slice(0, 1001)
  if (list === null) return [text(valueAt(record, keys))]
  const items = valueAt(record, keys.slice(0, list))
  if (!Array.isArray(items)) return []
  return items.slice(0, ITEMS_SEEN).map((item) => text(valueAt(item, keys.slice(list))))
}

class RecordAdder {
  readonly map: ColumnMap
  readonly #paths: readonly ValuePath[]
  readonly #rows: RecordRows
  /** The keys that lead to the list whose items are trials. Null if each record is one trial. */
  readonly #list: readonly string[] | null
  #withoutItems = 0

  constructor(map: ColumnMap, paths: readonly ValuePath[], rows: RecordRows, file: string) {
    this.map = map
    this.#paths = paths
    this.#rows = rows
    this.#list = listOf(map, paths, file)
    if (map.text !== null) rows.target.table.texts.column ??= map.titles[map.text] as string
  }

  add(record: JsonRecord, place: Place): void {
    if (this.#list === null) return this.#addRow(record, undefined, place, null)
    const items = valueAt(record, this.#list)
    if (!Array.isArray(items) || items.length === 0) {
      this.#withoutItems++
      return
    }
    const where = typeof place === 'number' ? `line ${place}, ` : `${place}.`
    for (const [i, item] of items.entries())
      this.#addRow(record, item, `${where}${this.#list.join('.')}[${i}]`, i)
  }

  notes(): string[] {
    return this.#withoutItems === 0 || this.#list === null
      ? []
      : [`${counted(this.#withoutItems, 'record')} without a trial in "${this.#list.join('.')}"`]
  }

  #addRow(record: JsonRecord, item: unknown, place: Place, position: number | null): void {
    const { map } = this
    const rows = this.#rows
    const { table } = rows.target
    const title = (column: number): string => map.titles[column] as string
    const at = (column: number): unknown => {
      const { keys, list } = this.#paths[column] as ValuePath
      return list === null ? valueAt(record, keys) : valueAt(item, keys.slice(list))
    }
    const one = this.#case(place, at)
    const suite =
      map.suite === null
        ? rows.target.suite
        : rows.name(place, title(map.suite), at(map.suite), table.suites, '--suite none ignores it')
    if (map.wide.length > 0) {
      if (one !== null && suite !== null) this.#addWide(suite, one, place, at)
      return
    }
    const subject = rows.subject(
      place,
      map.subject.map((column) => [title(column), at(column)]),
    )
    const verdict =
      map.passed === null
        ? VERDICTS.unscored
        : rows.verdict(place, title(map.passed), at(map.passed))
    const index =
      map.index === null
        ? (position ?? Number.NaN)
        : rows.indexIn(place, title(map.index), at(map.index))
    if (one === null || suite === null || subject === null || verdict === null || index === null)
      return
    const row = table.add(suite, one, subject, verdict)
    if (!Number.isNaN(index)) table.setIndex(row, index)
    for (const number of map.numbers) rows.number(row, place, number, at(number.column))
    if (map.threshold !== null)
      table.setVerdict(row, thresholdVerdict(table.numberAt('score', row), map.threshold))
    const label = (column: number | null): string =>
      column === null ? '' : textOf(at(column)).slice(0, 1000)
    if (label(map.group) !== '') table.setGroup(row, table.groups.idOf(label(map.group)))
    for (const column of map.by) table.labels.set(title(column), row, scalarText(at(column)))
    if (label(map.run) !== '') table.setRun(row, table.runs.idOf(label(map.run)))
    const text = map.text === null ? '' : textOf(at(map.text))
    if (text !== '') {
      const bytes = Buffer.from(text)
      table.texts.see(suite, one, subject, textHash(bytes, 0, bytes.length))
    }
    if (map.source !== null) table.setSource(subject, at(map.source))
    const result = map.result === null ? null : at(map.result)
    if (typeof result === 'string' && verdict === VERDICTS.failed)
      table.setReason(row, humanEvalReason(result))
  }

  #case(place: Place, at: (column: number) => unknown): number | null {
    const { table } = this.#rows.target
    const [only, ...more] = this.map.case as readonly [number, ...number[]]
    const advice = '--case names another column'
    const title = (column: number): string => this.map.titles[column] as string
    if (more.length === 0) return this.#rows.name(place, title(only), at(only), table.cases, advice)
    const parts: number[] = []
    for (const column of this.map.case) {
      const part = this.#rows.name(place, title(column), at(column), table.caseParts, advice)
      if (part === null) return null
      parts.push(part)
    }
    return table.caseOf(parts)
  }

  /**
   * Adds one trial for each key that holds the verdict of one subject. With a threshold, the keys hold scores instead
   * of verdicts.
   */
  #addWide(suite: number, one: number, place: Place, at: (column: number) => unknown): void {
    const { table } = this.#rows.target
    const { threshold } = this.map
    for (const column of this.map.wide) {
      const title = this.map.titles[column] as string
      const verdict =
        threshold === null ? this.#rows.verdict(place, title, at(column)) : VERDICTS.unscored
      if (verdict === null) continue
      const row = table.add(suite, one, table.subjectOf([table.parts.idOf(title)]), verdict)
      for (const by of this.map.by)
        table.labels.set(this.map.titles[by] as string, row, scalarText(at(by)))
      if (threshold === null) continue
      this.#rows.number(row, place, { name: 'score', title, scale: 1, most: 1 }, at(column))
      table.setVerdict(row, thresholdVerdict(table.numberAt('score', row), threshold))
    }
  }
}

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''

/** Returns the keys that lead to the list that contains the used columns. Null if none of them is in a list. */
function listOf(
  map: ColumnMap,
  paths: readonly ValuePath[],
  file: string,
): readonly string[] | null {
  const used = [
    ...map.case,
    ...map.subject,
    ...map.wide,
    ...[map.suite, map.index, map.passed].filter((column) => column !== null),
    ...map.numbers.map(({ column }) => column),
  ]
  const lists = new Map<string, { keys: readonly string[]; column: number }>()
  for (const column of used) {
    const { keys, list } = paths[column] as ValuePath
    if (list !== null) {
      const key = keys.slice(0, list)
      lists.set(key.join('.'), { keys: key, column })
    }
  }
  const [first, second] = [...lists.values()]
  if (first === undefined) return null
  if (second !== undefined)
    throw new UsageError(
      `${file}: "${map.titles[first.column]}" and "${map.titles[second.column]}" are in two different lists, so it is not clear which items belong together; take one of them back, such as with --score none, --cost none or --duration none`,
    )
  return first.keys
}
