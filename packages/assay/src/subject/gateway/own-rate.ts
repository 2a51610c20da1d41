/**
 * Checks whether an agent itself sends requests too fast. If it does, a provider that refuses its requests is not
 * responsible. An agent normally waits seconds for each answer of its model. So even an agent with several subagents
 * stays far below this limit.
 */
const WINDOW_MS = 60_000
/** The most requests in a minute. If an agent sends more, that is its own fault. */
export const MOST_PER_MINUTE = 120

export class OwnRate {
  readonly #times: number[] = []

  /** Records a request at this time, in milliseconds. Times must not decrease. */
  add(at: number): void {
    this.#times.push(at)
    if (this.#times.length > MOST_PER_MINUTE + 1) this.#times.shift()
  }

  /** Whether there were too many requests in the minute before this time. */
  isTooFast(at: number): boolean {
    return this.#times.filter((time) => time > at - WINDOW_MS).length > MOST_PER_MINUTE
  }
}
