/**
 * Rows that cannot be read. Leaving them out would change the figures in silence, so one is enough to refuse
 * the file; but all of them are gone through, so that the error says how many there are and shows the first.
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

  /** `place` is a line, or a path into a JSON document. */
  add(place: number | string, what: string): void {
    if (this.#count++ < SHOWN)
      this.#first.push(`${this.#file}:${typeof place === 'number' ? place : ` ${place}`}: ${what}`)
  }

  /** Throws where there is one. */
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

/** What was found, short enough for a line. */
export const found = (text: string): string =>
  text.length > LONGEST_SHOWN
    ? `"${text.slice(0, LONGEST_SHOWN)}…" (${counted(text.length, 'character')})`
    : `"${text}"`
