/**
 * Reads the rows of a CSV file with a mapping from columns to meanings. It creates no object per row, because that
 * would be slow.
 */
import { isUtf8 } from 'node:buffer'
import { UsageError } from '@assay/contract'
import { textHash } from '../table/case-texts.ts'
import { numberAt, numberOf, VERDICTS, verdictOf, type Verdict } from '../table/csv-field.ts'
import { CsvError, CsvParser, SEMICOLON, type CsvRow } from '../../documents/index.ts'
import { Dictionary } from '../table/dictionary.ts'
import { humanEvalReason } from './human-eval.ts'
import { mapColumns } from '../table/mapping.ts'
import type { ColumnMap, Mapping, NumberColumn } from '../table/column-map.ts'
import { found } from '../problems.ts'
import {
  indexIn,
  LONGEST_NAME,
  putNumber,
  thresholdVerdict,
  VERDICT_ADVICE,
  type RowTarget,
} from '../table/row-target.ts'
import { Thousands } from './thousands.ts'
import { NOT_UTF8 } from './utf8.ts'

/** Receives a CSV file in pieces. */
export interface Reading {
  readonly push: (chunk: Buffer) => void
  /** Called at the end of the file. Returns null if the file was empty. */
  readonly end: () => { readonly map: ColumnMap; readonly notes: readonly string[] } | null
}

/** The number of rows that are used, with the header, to guess the meaning of the columns. */
const LOOKED_AT = 500
/**
 * The maximum number of bytes of rows that are kept in memory while the meaning of the columns is unknown. Then the
 * columns are guessed from fewer rows.
 */
const MOST_HELD = 16 * 1024 * 1024

export function readCsv(file: string, mapping: Mapping, target: RowTarget): Reading {
  let titles: readonly string[] | null = null
  let rows: CsvRows | null = null
  let held: CsvRow[] = []
  let heldBytes = 0
  /**
   * True as soon as one piece is not valid UTF-8. (A piece can also be invalid because it ends inside a character.)
   * From then on, each row is checked for valid UTF-8 separately.
   */
  let isSuspect = false
  const begin = (): void => {
    if (titles === null) return
    const sample = titles.map((_, cell) =>
      held.map((row) => (cell < row.cells ? row.text(cell).slice(0, LONGEST_NAME + 1) : '')),
    )
    rows = new CsvRows(mapColumns(titles, sample, mapping, file), target, parser.delimiter)
    for (const row of held.splice(0)) rows.add(row)
    held = []
  }
  const parser = new CsvParser((row) => {
    const isText = !isSuspect || isUtf8(bytesOf(row))
    if (!isText) target.problems.add(row.line, NOT_UTF8)
    if (titles === null) titles = header(row, file, target)
    else if (rows !== null) {
      if (isText) rows.add(row)
    } else if (isText) {
      const copy = row.copy()
      heldBytes += copy.bytes.length
      if (held.push(copy) === LOOKED_AT || heldBytes > MOST_HELD) begin()
    }
  })
  const placed = (work: () => void): void => {
    try {
      work()
    } catch (error) {
      if (!(error instanceof CsvError)) throw error
      // The rows before the error are read first, so that their problems are reported before it. Such a problem is
      // often the cause: a row with too many cells, for instance, can explain an error at the end of the file.
      if (rows === null) begin()
      target.problems.add(error.line, error.message)
      target.problems.stop()
    }
  }
  return {
    push: (chunk) => {
      isSuspect ||= !isUtf8(chunk)
      placed(() => parser.push(chunk))
    },
    end: () => {
      placed(() => parser.end())
      if (rows === null && held.length > 0) begin()
      return rows === null ? null : { map: rows.map, notes: rows.notes() }
    },
  }
}

const bytesOf = ({ bytes, starts, ends, cells }: CsvRow): Buffer =>
  bytes.subarray(starts[0], ends[cells - 1])

function header(row: CsvRow, file: string, { problems }: RowTarget): readonly string[] {
  const titles = Array.from({ length: row.cells }, (_, cell) => row.text(cell).trim())
  if (titles.some((title) => title.includes('\0')))
    throw new UsageError(`${file} is not a text file; CSV and JSON are read`)
  // Reading stops at problems in the header, because the rows cannot be interpreted without it.
  problems.stop()
  return titles
}

class CsvRows {
  readonly map: ColumnMap
  readonly #target: RowTarget
  readonly #decimalComma: boolean
  readonly #thousands = new Thousands()
  /** The ids of subjects whose name has a single part, by the id of that part. */
  readonly #subjects: number[] = []
  /** The words that the file uses for verdicts. `#verdicts` has the meaning of each word, by the word's id. */
  readonly #words = new Dictionary()
  readonly #verdicts: (Verdict | null)[] = []

  constructor(map: ColumnMap, target: RowTarget, delimiter: number | null) {
    this.map = map
    this.#decimalComma = delimiter === SEMICOLON
    this.#target = { ...target, decimalComma: this.#decimalComma }
    if (map.text !== null) target.table.texts.column ??= map.titles[map.text] as string
  }

  add(row: CsvRow): void {
    const { map } = this
    const { table, problems } = this.#target
    const { line } = row
    if (row.cells !== map.titles.length) {
      const said = `${row.cells} cells where the header has ${map.titles.length}`
      problems.add(line, `${said}; a cell with the delimiter or a line break in it needs quotes`)
      return
    }
    const one = this.#case(row)
    const suite = map.suite === null ? this.#target.suite : this.#name(row, map.suite, table.suites)
    if (map.wide.length > 0) {
      if (one !== null && suite !== null) this.#addWide(row, suite, one)
      return
    }
    const subject = this.#subject(row)
    const verdict = this.#verdict(row)
    const index = this.#index(row)
    if (one === null || suite === null || subject === null || verdict === null || index === null)
      return
    const at = table.add(suite, one, subject, verdict)
    if (!Number.isNaN(index)) table.setIndex(at, index)
    for (const number of map.numbers) this.#put(row, at, number)
    if (map.threshold !== null)
      table.setVerdict(at, thresholdVerdict(table.numberAt('score', at), map.threshold))
    if (map.group !== null)
      this.#label(row, map.group, table.groups, (id) => table.setGroup(at, id))
    for (const column of map.by)
      table.labels.set(map.titles[column] as string, at, row.text(column))
    if (map.run !== null) this.#label(row, map.run, table.runs, (id) => table.setRun(at, id))
    if (map.text !== null && row.ends[map.text] !== row.starts[map.text])
      table.texts.see(
        suite,
        one,
        subject,
        textHash(row.bytes, row.starts[map.text] as number, row.ends[map.text] as number),
      )
    if (map.source !== null) table.setSource(subject, row.text(map.source))
    if (map.result !== null && verdict === VERDICTS.failed)
      table.setReason(at, humanEvalReason(row.text(map.result)))
  }

  /**
   * Adds one trial for each column that holds the verdicts of one subject. With a threshold, the columns hold scores
   * instead of verdicts.
   */
  #addWide(row: CsvRow, suite: number, one: number): void {
    const { map } = this
    const { table } = this.#target
    for (const column of map.wide) {
      const title = map.titles[column] as string
      const subject = table.subjectOf([table.parts.idOf(title)])
      const verdict = map.threshold === null ? this.#verdictIn(row, column) : VERDICTS.unscored
      if (verdict === null) continue
      const at = table.add(suite, one, subject, verdict)
      for (const by of map.by) table.labels.set(map.titles[by] as string, at, row.text(by))
      if (map.threshold === null) continue
      this.#put(row, at, { name: 'score', column, title, scale: 1, most: 1 })
      table.setVerdict(at, thresholdVerdict(table.numberAt('score', at), map.threshold))
    }
  }

  #put(row: CsvRow, at: number, number: NumberColumn): void {
    // `1,000` can mean one or a thousand. If a thousand would be out of range for this column, it means one, and no
    // note is needed.
    if (this.#decimalComma && number.most / number.scale >= 1000)
      this.#thousands.see(
        number.title,
        row.bytes,
        row.starts[number.column] as number,
        row.ends[number.column] as number,
      )
    putNumber(this.#target, at, row.line, number, this.#number(row, number.column), () =>
      row.text(number.column),
    )
  }

  /** Calls `put` with the id of the text in a cell, if the cell is not empty. */
  #label(row: CsvRow, cell: number, dictionary: Dictionary, put: (id: number) => void): void {
    const text = row.text(cell).trim()
    if (text !== '' && text.length <= LONGEST_NAME) put(dictionary.idOf(text))
  }

  notes(): string[] {
    return this.#thousands.notes()
  }

  #case(row: CsvRow): number | null {
    const { case: columns } = this.map
    const { table } = this.#target
    if (columns.length === 1) return this.#name(row, columns[0] as number, table.cases)
    const parts: number[] = []
    for (const column of columns) {
      const part = this.#name(row, column, table.caseParts)
      if (part === null) return null
      parts.push(part)
    }
    return table.caseOf(parts)
  }

  /** Returns the id of the name in a cell. If the cell has no valid name, reports the problem and returns null. */
  #name(row: CsvRow, cell: number, dictionary: Dictionary): number | null {
    const start = row.starts[cell] as number
    const end = row.ends[cell] as number
    if (end - start > LONGEST_NAME || end === start) return this.#badName(row, cell)
    const id =
      row.doubled[cell] === 1
        ? dictionary.idOf(row.text(cell).trim())
        : dictionary.idAt(row.bytes, start, end)
    return dictionary.names[id] === '' ? this.#badName(row, cell) : id
  }

  #badName(row: CsvRow, cell: number): null {
    const text = row.text(cell)
    const what = text.trim() === '' ? 'it is empty' : `found ${found(text)}`
    const role = this.map.case.includes(cell)
      ? 'case'
      : this.map.suite === cell
        ? 'suite'
        : 'subject'
    this.#target.problems.add(
      row.line,
      `${this.map.titles[cell]}: expected a name, ${what}`,
      `--${role} names another column`,
    )
    return null
  }

  #subject(row: CsvRow): number | null {
    const { table } = this.#target
    const { subject: columns } = this.map
    const [only] = columns
    if (only === undefined) return this.#target.ownSubject()
    if (columns.length === 1) {
      const part = this.#name(row, only, table.parts)
      return part === null ? null : (this.#subjects[part] ??= table.subjectOf([part]))
    }
    const parts: number[] = []
    for (const column of columns) {
      const part = this.#name(row, column, table.parts)
      if (part === null) return null
      parts.push(part)
    }
    return table.subjectOf(parts)
  }

  /** Returns the index of the trial. NaN if the row has none, and null if it is invalid. */
  #index(row: CsvRow): number | null {
    const { index, titles } = this.map
    if (index === null) return Number.NaN
    const number = this.#number(row, index)
    return indexIn(this.#target, row.line, titles[index] as string, number, () => row.text(index))
  }

  #number(row: CsvRow, cell: number): number {
    return row.doubled[cell] === 1
      ? numberOf(row.text(cell), this.#decimalComma)
      : numberAt(
          row.bytes,
          row.starts[cell] as number,
          row.ends[cell] as number,
          this.#decimalComma,
        )
  }

  #verdict(row: CsvRow): Verdict | null {
    const { passed } = this.map
    return passed === null ? VERDICTS.unscored : this.#verdictIn(row, passed)
  }

  #verdictIn(row: CsvRow, cell: number): Verdict | null {
    const start = row.starts[cell] as number
    const end = row.ends[cell] as number
    const verdict = end - start > LONGEST_NAME ? null : this.#verdictAt(row.bytes, start, end)
    if (verdict === null)
      this.#target.problems.add(
        row.line,
        `${this.map.titles[cell]}: expected true or false, 1 or 0, found ${found(row.text(cell))}`,
        VERDICT_ADVICE,
      )
    return verdict
  }

  #verdictAt(bytes: Buffer, start: number, end: number): Verdict | null {
    const word = this.#words.idAt(bytes, start, end)
    const known = this.#verdicts[word]
    if (known !== undefined) return known
    return (this.#verdicts[word] = verdictOf(this.#words.names[word] as string))
  }
}
