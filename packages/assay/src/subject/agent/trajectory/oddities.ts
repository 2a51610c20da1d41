/**
 * Collects messages about parts of a stream that could not be read. A repeated message is kept once, with its count.
 * The number of messages is limited.
 */
import { boundedText } from './bounded.ts'

const MOST = 50
const MOST_CHARACTERS = 500
const REST = 'and more'

export class Oddities {
  readonly #times = new Map<string, number>()

  add(text: string): void {
    const short = boundedText(text, MOST_CHARACTERS).value
    const key = this.#times.has(short) || this.#times.size < MOST ? short : REST
    this.#times.set(key, (this.#times.get(key) ?? 0) + 1)
  }

  list(): string[] {
    return [...this.#times].map(([text, times]) =>
      times === 1 ? text : `${text} (${times} times)`,
    )
  }
}
