/**
 * A column holds one number per trial. It is indexed by the trial's ordinal (its position in the plan), and NaN means
 * unknown. A column takes no memory until its first number is set. Most columns have few distinct numbers (scores,
 * tokens, tenths of milliseconds). So a column stores each distinct number once and, for each ordinal, a code of one or
 * two bytes. With more than 65,535 distinct numbers it stores the numbers themselves.
 */

/** How a column is stored in a file. Code 0 means "unknown". `values[i]` has the code i + 1. */
export type StoredColumn =
  | { readonly kind: 'none' }
  | { readonly kind: 'codes'; readonly width: 1 | 2; readonly values: readonly number[] }
  | { readonly kind: 'numbers' }

/** Returns the next bytes of a file. They begin at a multiple of 8, so that any typed array can use them. */
export type TakeBytes = (bytes: number) => Uint8Array<ArrayBuffer>

type Codes = Uint8Array | Uint16Array

const MOST_BYTE_CODES = 0x1_00
const MOST_CODES = 0x1_00_00

export class Column {
  readonly #length: number
  #codes: Codes | null = null
  /** The number that each code represents. */
  #values: number[] = [Number.NaN]
  #codeOf = new Map<number, number>()
  #numbers: Float64Array | null = null

  constructor(length: number) {
    this.#length = length
  }

  set(at: number, value: number | null | undefined): void {
    const isUnknown = value === null || value === undefined || Number.isNaN(value)
    if (this.#numbers !== null) {
      // Adding 0 turns −0 into 0. JSON does the same, so the number stays equal when it is stored.
      this.#numbers[at] = isUnknown ? Number.NaN : value + 0
      return
    }
    if (this.#codes === null) {
      if (isUnknown) return
      this.#codes = new Uint8Array(this.#length)
    }
    const code = isUnknown ? 0 : (this.#codeOf.get(value) ?? this.#newCode(value + 0))
    if (code === null) this.set(at, value)
    else this.#codes[at] = code
  }

  /**
   * Adds a number and returns its code. Null if there are too many distinct numbers; the column then stores the numbers
   * themselves.
   */
  #newCode(value: number): number | null {
    const code = this.#values.length
    if (code === MOST_CODES) {
      const numbers = new Float64Array(this.#length)
      for (let i = 0; i < numbers.length; i++) numbers[i] = this.at(i)
      this.#numbers = numbers
      this.#codes = null
      this.#values = []
      this.#codeOf = new Map()
      return null
    }
    if (code === MOST_BYTE_CODES) this.#codes = Uint16Array.from(this.#codes as Codes)
    this.#values.push(value)
    this.#codeOf.set(value, code)
    return code
  }

  /** Returns the number of the trial at an ordinal (its position in the plan). NaN if the number is unknown. */
  at(at: number): number {
    if (this.#codes !== null) return this.#values[this.#codes[at] as number] as number
    return this.#numbers === null ? Number.NaN : (this.#numbers[at] as number)
  }

  /** Whether no number was ever set. */
  get isEmpty(): boolean {
    return this.#codes === null && this.#numbers === null
  }

  /** Returns the data that describes the column, and its typed array. The array is null if no number was ever set. */
  stored(): readonly [StoredColumn, Codes | Float64Array | null] {
    if (this.#numbers !== null) return [{ kind: 'numbers' }, this.#numbers]
    if (this.#codes === null) return [{ kind: 'none' }, null]
    const width = this.#codes.BYTES_PER_ELEMENT === 1 ? 1 : 2
    return [{ kind: 'codes', width, values: this.#values.slice(1) }, this.#codes]
  }

  /** Restores a column from the data that `stored` returned. `take` returns the next bytes, aligned for any array. */
  static restored(length: number, stored: StoredColumn, take: TakeBytes): Column {
    const column = new Column(length)
    if (stored.kind === 'numbers') {
      const { buffer, byteOffset } = take(8 * length)
      column.#numbers = new Float64Array(buffer, byteOffset, length)
    }
    if (stored.kind !== 'codes') return column
    const bytes = take(stored.width * length)
    column.#codes =
      stored.width === 1 ? bytes : new Uint16Array(bytes.buffer, bytes.byteOffset, length)
    column.#values = [Number.NaN, ...stored.values]
    for (const [i, value] of stored.values.entries()) column.#codeOf.set(value, i + 1)
    return column
  }
}
