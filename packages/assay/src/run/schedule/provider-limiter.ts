/**
 * How many requests a provider gets at once, and what happens when it wants none.
 *
 * - A provider that has not answered yet in this session gets one trial, with its retries, while all others
 *   wait. If that trial gets no answer, the provider is given up: nobody else is sent to a server that is down.
 * - The limit then doubles with every round of clean answers until the provider refuses for its rate limit; from
 *   then on it grows by one for each round. A refusal halves it, at most once for the requests that were already
 *   under way.
 *   So does a machine that has no socket left.
 * - As long as the provider asks to be left alone, no request is sent. The wait is reported; one that is longer
 *   than allowed, counted from the first refusal without an answer since, gives the provider up.
 */
import { SubjectError, type ReasonCode } from '@assay/contract'

export interface PoolLimits {
  readonly start: number
  readonly most: number
  /** Whether one trial has to get an answer before the others are sent. */
  readonly probes?: boolean
}

/** Why no request is sent, and until when (milliseconds since 1970). */
export interface PoolWait {
  readonly why: string
  readonly until: number
}

export interface PoolWatch {
  readonly maxWaitMs: number
  waits(pool: Pool, wait: PoolWait): void
  gaveUp(pool: Pool, error: SubjectError): void
}

/** Shorter waits are part of any rate limit and are not reported. */
export const SHOWN_WAIT_MS = 5000

/** Failures that tell nothing about the request: the next one would fail as well. */
const LOST: ReadonlySet<ReasonCode> = new Set([
  'provider-error',
  'provider-timeout',
  'bad-reply',
  'rate-limited',
])
/** One case may be too hard for the time limit; two are a server that hangs. */
const MOST_LATE_PROBES = 2

/** This machine has no socket for one more connection: fewer at once will do. */
const isOutOfSockets = ({ cause }: SubjectError): boolean =>
  cause instanceof Error &&
  'code' in cause &&
  ['EMFILE', 'ENFILE', 'ENOBUFS', 'EADDRNOTAVAIL'].includes(String(cause.code))

const UNWATCHED: PoolWatch = {
  maxWaitMs: Number.POSITIVE_INFINITY,
  waits: () => {},
  gaveUp: () => {},
}

export class Pool {
  readonly name: string
  readonly #most: number
  readonly #watch: PoolWatch
  #limit: number
  #active = 0
  /** Trials between two attempts. */
  #resting = 0
  /** Clean answers since the limit last changed. */
  #clean = 0
  #hasRefused = false
  #hasAnswered: boolean
  #lateProbes = 0
  /** No request before this moment. */
  #notBefore = 0
  /** Refusals of requests sent before this moment have been answered for. */
  #cutAt = 0
  /** When the provider first asked to wait, without an answer since. */
  #refusedSince: number | null = null
  /** The wait that was last reported ends then. */
  #shownUntil = 0
  #givenUp: SubjectError | null = null
  readonly #over = new AbortController()
  readonly #queue: (() => void)[] = []

  constructor(
    name: string,
    { start, most, probes = false }: PoolLimits,
    watch: PoolWatch = UNWATCHED,
  ) {
    this.name = name
    this.#most = Math.max(1, most)
    this.#limit = Math.max(1, Math.min(start, most))
    this.#hasAnswered = !probes
    this.#watch = watch
  }

  get limit(): number {
    return this.#limit
  }

  get active(): number {
    return this.#active
  }

  /** Requests that have a place, want one, or are between two attempts. */
  get waiting(): number {
    return this.#active + this.#queue.length + this.#resting
  }

  /** Why nobody is asked any more; null while the provider is asked. */
  get givenUp(): SubjectError | null {
    return this.#givenUp
  }

  /** Aborts when the provider is given up. */
  get over(): AbortSignal {
    return this.#over.signal
  }

  /** Whether a new trial may start: a place is free and not too many are between two attempts. */
  isOpen(): boolean {
    return this.#queue.length === 0 && this.#hasPlace() && this.#resting < this.#limit
  }

  /** Milliseconds until the provider wants to hear from us again. */
  holdMs(now: number): number {
    return Math.max(0, this.#notBefore - now)
  }

  /** Takes a place that `isOpen` has promised. */
  take(): void {
    this.#active++
  }

  /** Waits for a place. Where the provider is given up there is nothing to wait for. */
  async enter(): Promise<void> {
    if (this.#hasPlace() || this.#givenUp !== null) this.#active++
    else await new Promise<void>((resolve) => this.#queue.push(resolve))
  }

  leave(): void {
    this.#active--
    this.#admit()
  }

  /** Gives the place up between two attempts. */
  rest(): void {
    this.#resting++
    this.leave()
  }

  /** The next attempt is due; `enter` follows at once. */
  resume(): void {
    this.#resting--
  }

  succeeded(): void {
    this.#refusedSince = null
    this.#hasAnswered = true
    if (this.#limit < this.#most) {
      this.#clean++
      if (!this.#hasRefused) this.#limit++
      else if (this.#clean >= this.#limit) {
        this.#clean = 0
        this.#limit++
      }
    }
    this.#admit()
  }

  /**
   * A request that was sent at `sentAt` failed. `waitMs` is what its trial waits before it asks again; null where
   * it does not.
   */
  failed(error: SubjectError, sentAt: number, now: number, waitMs: number | null): void {
    if (this.#givenUp !== null) return
    const { reason, retryAfterMs } = error
    if (reason === 'rate-limited' || isOutOfSockets(error)) this.#cut(sentAt, now)
    if (retryAfterMs !== null) this.#notBefore = Math.max(this.#notBefore, now + retryAfterMs)
    // What the provider asked for, without the jitter of a single trial.
    const until = this.#notBefore > now ? this.#notBefore : now + (waitMs ?? 0)
    if (reason === 'rate-limited' || retryAfterMs !== null) {
      this.#refusedSince ??= now
      if (until - this.#refusedSince > this.#watch.maxWaitMs) return this.#tooLong(error, until)
    }
    const isHeld = this.holdMs(now) >= SHOWN_WAIT_MS
    // Others are still being answered: that one of them waits is no wait of the provider's.
    const isIdle = this.#active <= 1 && until - now >= SHOWN_WAIT_MS
    if ((isHeld || isIdle) && until >= this.#shownUntil + 1000) {
      this.#shownUntil = until
      this.#watch.waits(this, { why: error.message, until })
    }
    if (waitMs === null) this.#probed(error)
  }

  /** A trial has ended without an answer. */
  #probed(error: SubjectError): void {
    if (this.#hasAnswered) return
    if (!LOST.has(error.reason)) {
      // It refused this request, so it is there: others may fare better.
      this.#hasAnswered = true
      this.#admit()
    } else if (error.reason !== 'provider-timeout' || ++this.#lateProbes >= MOST_LATE_PROBES)
      this.#giveUp(
        new SubjectError(`${this.name} has not answered once: ${error.message}`, {
          reason: error.reason,
          retry: false,
        }),
      )
  }

  #tooLong(error: SubjectError, until: number): void {
    const minutes = Math.round(this.#watch.maxWaitMs / 6000) / 10
    this.#giveUp(
      new SubjectError(
        `${this.name} asks to be left alone until ${new Date(until).toISOString()}, longer than the ${minutes} min of --max-wait: ${error.message}`,
        { reason: error.reason, retry: false },
      ),
    )
  }

  #giveUp(error: SubjectError): void {
    if (this.#givenUp !== null) return
    this.#givenUp = error
    this.#over.abort(error)
    for (const enter of this.#queue.splice(0)) {
      this.#active++
      enter()
    }
    this.#watch.gaveUp(this, error)
  }

  #cut(sentAt: number, now: number): void {
    this.#clean = 0
    this.#hasRefused = true
    if (sentAt < this.#cutAt) return
    this.#cutAt = now
    this.#limit = Math.max(1, Math.floor(this.#limit / 2))
  }

  #hasPlace(): boolean {
    return this.#hasAnswered ? this.#active < this.#limit : this.#active + this.#resting === 0
  }

  /** Places that are free go to those who wait for one. */
  #admit(): void {
    while (this.#queue.length > 0 && this.#hasPlace()) {
      this.#active++
      this.#queue.shift()?.()
    }
  }
}
