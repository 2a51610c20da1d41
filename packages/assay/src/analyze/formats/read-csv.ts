/** Reads the rows of a CSV file by a mapping of its columns. For speed, it creates no object per row. */
import { isUtf8 } from 'node:buffer'
import { UsageError } from '@assay/contract'
import { numberAt, numberOf, VERDICTS, verdictOf, type Verdict } from '../table/csv-field.ts'
import { CsvError, CsvParser, SEMICOLON, type CsvRow } from './csv.ts'
import { Dictionary } from '../table/dictionary.ts'
import { humanEvalReason } from './human-eval.ts'
import { mapColumns } from '../table/mapping.ts'
import type { ColumnMap, Mapping } from '../table/column-map.ts'
import { found } from '../problems.ts'
import {
  LONGEST_NAME,
  putIndex,
  putNumber,
  thresholdVerdict,
  type RowTarget,
} from '../table/row-target.ts'
import { Thousands } from './thousands.ts'
import { NOT_UTF8 } from './utf8.ts'

/** Reads a file in pieces. */
export interface Reading {
  readonly push: (chunk: Buffer) => void
  /** Returns null if the file was empty. */
  readonly end: () => { readonly map: ColumnMap; readonly notes: readonly string[] } | null
}

export function readCsv(file: string, mapping: Mapping, target: RowTarget): Reading {
  let rows: CsvRows | null = null
  /**
   * True once a piece was not valid UTF-8, perhaps only because it ends inside a character. From then on
   * every row is checked.
   */
  let isSuspect = false
  const parser = new CsvParser((row) => {
    const isText = !isSuspect || isUtf8(bytesOf(row))
    if (!isText) target.problems.add(row.line, NOT_UTF8)
    if (rows === null)
      rows = new CsvRows(header(row, file, mapping, target), target, parser.delimiter)
    else if (isText) rows.add(row)
  })
  const placed = (work: () => void): void => {
    try {
      work()
    } catch (error) {
      if (!(error instanceof CsvError)) throw error
      // Earlier problems come first, as they are more useful: for instance the first ragged row instead of
      // the last line.
      target.problems.add(error.line, error.message)
      target.problems.check()
    }
  }
  return {
    push: (chunk) => {
      isSuspect ||= !isUtf8(chunk)
      placed(() => parser.push(chunk))
    },
    end: () => {
      placed(() => parser.end())
      return rows === null ? null : { map: rows.map, notes: rows.notes() }
    },
  }
}

const bytesOf = ({ bytes, starts, ends, cells }: CsvRow): Buffer =>
  bytes.subarray(starts[0], ends[cells - 1])

function header(row: CsvRow, file: string, mapping: Mapping, { problems }: RowTarget): ColumnMap {
  const titles = Array.from({ length: row.cells }, (_, cell) => row.text(cell).trim())
  if (titles.some((title) => title.includes('\0')))
    throw new UsageError(`${file} is not a text file; CSV and JSON are read`)
  // If the header cannot be read, the rows cannot be interpreted.
  problems.check()
  return mapColumns(titles, mapping, file)
}

class CsvRows {
  readonly map: ColumnMap
  readonly #target: RowTarget
  readonly #decimalComma: boolean
  readonly #thousands = new Thousands()
  /** The id of a subject with a single part, by the id of that part. */
  readonly #subjects: number[] = []
  /** The words used for verdicts, and their meanings. */
  readonly #words = new Dictionary()
  readonly #verdicts: (Verdict | null)[] = []

  constructor(map: ColumnMap, target: RowTarget, delimiter: number | null) {
    this.map = map
    this.#target = target
    this.#decimalComma = delimiter === SEMICOLON
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
    const one = this.#name(row, map.case, table.cases)
    const suite = map.suite === null ? this.#target.suite : this.#name(row, map.suite, table.suites)
    const subject = this.#subject(row)
    const verdict = this.#verdict(row)
    if (one === null || suite === null || subject === null || verdict === null) return
    const at = table.add(suite, one, subject, verdict)
    for (const number of map.numbers) {
      // If a value of 1000 would be out of range, three digits after the mark can only be decimals.
      if (this.#decimalComma && number.most / number.scale >= 1000)
        this.#thousands.see(
          number.title,
          row.bytes,
          row.starts[number.column] as number,
          row.ends[number.column] as number,
        )
      putNumber(this.#target, at, line, number, this.#number(row, number.column), () =>
        row.text(number.column),
      )
    }
    if (map.threshold !== null)
      table.setVerdict(at, thresholdVerdict(table.numberAt('score', at), map.threshold))
    const { index } = map
    if (index !== null)
      putIndex(this.#target, at, line, map.titles[index] as string, this.#number(row, index), () =>
        row.text(index),
      )
    if (map.source !== null) table.setSource(subject, row.text(map.source))
    if (map.result !== null && verdict === VERDICTS.failed)
      table.setReason(at, humanEvalReason(row.text(map.result)))
  }

  notes(): string[] {
    return this.#thousands.notes()
  }

  /** Returns the id of a name; null if the cell has no valid name, which is reported. */
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
    this.#target.problems.add(row.line, `${this.map.titles[cell]}: expected a name, ${what}`)
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
    const { passed, titles } = this.map
    if (passed === null) return VERDICTS.unscored
    const start = row.starts[passed] as number
    const end = row.ends[passed] as number
    const verdict = end - start > LONGEST_NAME ? null : this.#verdictAt(row.bytes, start, end)
    if (verdict === null)
      this.#target.problems.add(
        row.line,
        `${titles[passed]}: expected true or false, 1 or 0, found ${found(row.text(passed))}`,
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
