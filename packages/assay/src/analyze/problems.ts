/**
 * Collects rows that cannot be read. Skipping them would change the figures silently, so a single one is
 * enough to refuse the file. All rows are still read, so that the error says how many are bad and shows the
 * first few.
 */
import { UsageError } from '@assay/contract'
import { count, counted } from '../text/index.ts'

const SHOWN = 5
const LONGEST_SHOWN = 40

export class Problems {
  readonly #file: string
  readonly #first: string[] = []
  #count = 0

  constructor(file: string) {
    this.#file = file
  }

  /** Adds a problem. `place` is a line number, or a path into a JSON document. */
  add(place: number | string, what: string): void {
    if (this.#count++ < SHOWN)
      this.#first.push(`${this.#file}:${typeof place === 'number' ? place : ` ${place}`}: ${what}`)
  }

  /** Throws if there is any problem. */
  check(): void {
    if (this.#count === 0) return
    const more = this.#count - this.#first.length
    const lines = more > 0 ? [...this.#first, `and ${count(more)} more`] : this.#first
    throw new UsageError(
      this.#count === 1
        ? lines.join('')
        : `${counted(this.#count, 'row')} cannot be read\n  ${lines.join('\n  ')}`,
    )
  }
}

/** Returns the offending text, short enough for one line. */
export const found = (text: string): string =>
  text.length > LONGEST_SHOWN
    ? `"${text.slice(0, LONGEST_SHOWN)}…" (${counted(text.length, 'character')})`
    : `"${text}"`
