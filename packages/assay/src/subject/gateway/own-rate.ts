/**
 * Whether an agent itself asks too fast. A provider that then refuses requests as too many is not to blame. Agents wait
 * seconds for each answer of their model, so even one with several subagents stays far below the limit here.
 */
const WINDOW_MS = 60_000
/** More requests in a minute than this are the agent's own fault. */
export const MOST_PER_MINUTE = 120

export class OwnRate {
  readonly #times: number[] = []

  /** Notes a request at this time, in milliseconds. Times never decrease. */
  add(at: number): void {
    this.#times.push(at)
    if (this.#times.length > MOST_PER_MINUTE + 1) this.#times.shift()
  }

  /** Whether there were too many requests in the minute before this time. */
  isTooFast(at: number): boolean {
    return this.#times.filter((time) => time > at - WINDOW_MS).length > MOST_PER_MINUTE
  }
}
