/**
 * Collects the rows that cannot be read. If they were skipped silently, the figures would change. So a single bad row
 * is enough to refuse the file, unless the user allows it with `--skip-bad-rows`. The remaining rows are still read, so
 * that the message can say how many rows are bad and show the first few.
 */
import { UsageError } from '@assay/contract'
import { count, counted } from '../text/index.ts'

const SHOWN = 5
const LONGEST_SHOWN = 40

export class Problems {
  readonly #file: string
  readonly #canSkip: boolean
  readonly #first: string[] = []
  readonly #advice = new Set<string>()
  readonly #places = new Set<number | string>()
  #count = 0
  #mustStop = false

  /** @param canSkip true if the user allows that rows that cannot be read are left out */
  constructor(file: string, canSkip: boolean = false) {
    this.#file = file
    this.#canSkip = canSkip
  }

  /**
   * Adds a problem. `place` is a line number, or a path into a JSON document. `advice` says which flag helps, in
   * addition to the flag that skips bad rows.
   */
  add(place: number | string, what: string, advice?: string): void {
    if (this.#places.size < MOST_PLACES) this.#places.add(place)
    if (advice !== undefined) this.#advice.add(advice)
    if (this.#count++ < SHOWN)
      this.#first.push(`${this.#file}:${typeof place === 'number' ? place : ` ${place}`}: ${what}`)
  }

  /**
   * Adds a problem with a row that is already stored. Such a row cannot be left out, so `--skip-bad-rows` does not
   * help.
   */
  addFinal(place: number | string, what: string): void {
    this.#mustStop = true
    this.add(place, what)
  }

  /** Throws if there is a problem, unless the user allowed bad rows to be skipped. */
  check(): void {
    if (!this.#canSkip || this.#mustStop) this.stop()
  }

  /** Throws if there is any problem. It is called where the rest of the file cannot be read. */
  stop(): void {
    if (this.#count === 0) return
    const advice = [
      ...this.#advice,
      ...(this.#canSkip ? [] : ['--skip-bad-rows leaves such rows out']),
    ]
    const hint = advice.length === 0 ? '' : advice.join('; ')
    throw new UsageError(
      this.#count === 1
        ? `${this.#lines().join('')}${hint === '' ? '' : `; ${hint}`}`
        : [
            `${counted(this.#count, 'row')} cannot be read`,
            ...this.#lines(),
            ...(hint === '' ? [] : [hint]),
          ].join('\n  '),
    )
  }

  /** Says which rows were left out, if the user allowed this. */
  notes(): string[] {
    if (this.#count === 0) return []
    const rows = this.#places.size === MOST_PLACES ? this.#count : this.#places.size
    return [
      `${counted(rows, 'row')} left out, as ${rows === 1 ? 'it' : 'they'} cannot be read: ${this.#lines().join('; ')}`,
    ]
  }

  #lines(): string[] {
    const more = this.#count - this.#first.length
    return more > 0 ? [...this.#first, `and ${count(more)} more`] : this.#first
  }
}

/**
 * The maximum number of different locations that are remembered, to limit memory. If there are more, each problem is
 * counted as a row.
 */
const MOST_PLACES = 100_000

/** Returns a bad value in a form for messages, cut to fit on one line. */
export const found = (text: string): string =>
  text.length > LONGEST_SHOWN
    ? `"${text.slice(0, LONGEST_SHOWN)}…" (${counted(text.length, 'character')})`
    : `"${text}"`
