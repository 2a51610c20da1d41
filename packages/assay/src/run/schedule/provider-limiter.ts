/**
 * How many requests a provider gets at once. Starts modest and grows by one for every full round of
 * clean answers; a refusal for the rate limit halves it, at most once for the requests that were
 * already under way, and holds new requests back for as long as the provider asks.
 */

export interface PoolLimits {
  readonly start: number
  readonly most: number
}

export class Pool {
  readonly name: string
  readonly #most: number
  #limit: number
  #active = 0
  /** Trials between two attempts. */
  #resting = 0
  /** Clean answers since the limit last changed. */
  #clean = 0
  /** No request before this moment. */
  #notBefore = 0
  /** Refusals of requests sent before this moment have been answered for. */
  #cutAt = 0
  readonly #queue: (() => void)[] = []

  constructor(name: string, { start, most }: PoolLimits) {
    this.name = name
    this.#most = Math.max(1, most)
    this.#limit = Math.max(1, Math.min(start, most))
  }

  get limit(): number {
    return this.#limit
  }

  get active(): number {
    return this.#active
  }

  /** Whether a new trial may start: a place is free and not too many are between two attempts. */
  isOpen(): boolean {
    return this.#active + this.#queue.length < this.#limit && this.#resting < this.#limit
  }

  /** Milliseconds until the provider wants to hear from us again. */
  holdMs(now: number): number {
    return Math.max(0, this.#notBefore - now)
  }

  /** Takes a place that `isOpen` has promised. */
  take(): void {
    this.#active++
  }

  /** Waits for a place. */
  async enter(): Promise<void> {
    if (this.#active >= this.#limit) await new Promise<void>((resolve) => this.#queue.push(resolve))
    else this.#active++
  }

  leave(): void {
    const next = this.#active <= this.#limit ? this.#queue.shift() : undefined
    // A waiting trial takes over the place; otherwise it is free again.
    if (next === undefined) this.#active--
    else next()
  }

  rest(): void {
    this.#resting++
  }

  resume(): void {
    this.#resting--
  }

  succeeded(): void {
    if (this.#limit >= this.#most) return
    this.#clean++
    if (this.#clean < this.#limit) return
    this.#clean = 0
    this.#limit++
    const next = this.#queue.shift()
    if (next === undefined) return
    this.#active++
    next()
  }

  /** A request that was sent at `sentAt` was refused for the rate limit. */
  refused(sentAt: number, now: number, retryAfterMs: number | null): void {
    this.#clean = 0
    if (retryAfterMs !== null) this.#notBefore = Math.max(this.#notBefore, now + retryAfterMs)
    if (sentAt < this.#cutAt) return
    this.#cutAt = now
    this.#limit = Math.max(1, Math.floor(this.#limit / 2))
  }
}
