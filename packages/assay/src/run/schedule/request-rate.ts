/** Limits the requests per second to a provider. */

/**
 * The window in which requests are counted. It is a little longer than a second, because the time between two requests
 * may be shorter when they arrive than when they were sent.
 */
const WINDOW_MS = 1050

export class RequestRate {
  readonly #most: number
  readonly #windowMs: number
  /** The times at which the last requests were sent, the oldest first. */
  readonly #sent: number[] = []

  constructor(perSecond: number) {
    this.#most = Math.max(1, Math.floor(perSecond))
    this.#windowMs = perSecond < 1 ? WINDOW_MS / perSecond : WINDOW_MS
  }

  /** Returns the milliseconds until a request may be sent. If the result is 0, the request counts as sent now. */
  holdMs(now: number): number {
    const [first] = this.#sent
    if (first !== undefined && this.#sent.length >= this.#most) {
      const hold = first + this.#windowMs - now
      if (hold > 0) return hold
      this.#sent.shift()
    }
    this.#sent.push(now)
    return 0
  }
}
