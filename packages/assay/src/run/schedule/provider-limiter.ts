/**
 * Limits the number of parallel requests to a provider, and handles providers that refuse requests.
 *
 * - A provider that has not answered yet in this session is tested with one trial and its retries, while all other
 *   trials wait. If that trial gets no answer, Assay gives up on the provider. So a server that is down gets no further
 *   trials.
 * - After the first answer, the limit doubles with every round of successful answers, until the provider refuses a
 *   request because of its rate limit. From then on, the limit grows by one per round. A refusal halves the limit, but
 *   only once for all requests that were in flight at that time. If this machine runs out of sockets, the limit is
 *   halved too.
 * - While the provider asks to wait, no request is sent, and the wait is reported. The wait is counted from the first
 *   refusal since the last answer. If it gets longer than allowed, Assay gives up on the provider.
 */
import { SubjectError, type ReasonCode } from '@assay/contract'
import { setDuration } from '../../text/index.ts'
import { RequestRate } from './request-rate.ts'
import type { ProviderSlots } from '../trial/trial-services.ts'

export interface PoolLimits {
  readonly start: number
  readonly most: number
  /** If true, one trial must get an answer before other trials are sent. */
  readonly probes?: boolean
  /** The most requests per second. Absent if there is no limit. */
  readonly rate?: number
}

/** Why no request is sent, and when the wait ends (in milliseconds since 1970). */
export interface PoolWait {
  readonly why: string
  readonly until: number
}

export interface PoolWatch {
  readonly maxWaitMs: number
  waits(pool: Pool, wait: PoolWait): void
  gaveUp(pool: Pool, error: SubjectError): void
}

/** Waits that are shorter than this are not reported, because they are normal with a rate limit. */
export const SHOWN_WAIT_MS = 5000

/** Failures that the request itself did not cause. After such a failure, the next request would probably fail too. */
export const LOST_REASONS: ReadonlySet<ReasonCode> = new Set([
  'provider-error',
  'provider-timeout',
  'bad-reply',
  'rate-limited',
])
/** How many timeouts of first trials show that a server is down. A single timeout may be due to a hard case. */
const MOST_LATE_PROBES = 2

/** Whether this machine has no socket left for another connection. Sending fewer requests in parallel solves that. */
export const isOutOfSockets = ({ cause }: SubjectError): boolean =>
  cause instanceof Error &&
  'code' in cause &&
  ['EMFILE', 'ENFILE', 'ENOBUFS', 'EADDRNOTAVAIL'].includes(String(cause.code))

const UNWATCHED: PoolWatch = {
  maxWaitMs: Number.POSITIVE_INFINITY,
  waits: () => {},
  gaveUp: () => {},
}

export class Pool implements ProviderSlots {
  readonly name: string
  readonly #most: number
  readonly #watch: PoolWatch
  readonly #rate: RequestRate | null
  #limit: number
  #active = 0
  /** The number of trials that wait between two attempts. */
  #resting = 0
  /** The number of successful answers since the limit last changed. */
  #clean = 0
  #hasRefused = false
  #hasAnswered: boolean
  #lateProbes = 0
  /** No request may be sent before this time. */
  #notBefore = 0
  /**
   * When the limit was last halved. A refused request that was sent before this time does not halve the limit again.
   */
  #cutAt = 0
  /** When the provider first asked to wait after its last answer. */
  #refusedSince: number | null = null
  /** The end of the wait that was last reported. */
  #shownUntil = 0
  #givenUp: SubjectError | null = null
  readonly #over = new AbortController()
  readonly #queue: (() => void)[] = []

  constructor(
    name: string,
    { start, most, probes = false, rate }: PoolLimits,
    watch: PoolWatch = UNWATCHED,
  ) {
    this.name = name
    this.#most = Math.max(1, most)
    this.#limit = Math.max(1, Math.min(start, most))
    this.#hasAnswered = !probes
    this.#rate = rate === undefined ? null : new RequestRate(rate)
    this.#watch = watch
  }

  get limit(): number {
    return this.#limit
  }

  get active(): number {
    return this.#active
  }

  /** The number of requests that have a slot, wait for one, or wait between two attempts. */
  get waiting(): number {
    return this.#active + this.#queue.length + this.#resting
  }

  /** The error for which Assay gave up on the provider. Null if it has not given up. */
  get givenUp(): SubjectError | null {
    return this.#givenUp
  }

  /** Aborts when Assay gives up on the provider. */
  get over(): AbortSignal {
    return this.#over.signal
  }

  /** Whether a new trial may start: a slot is free, and not too many trials wait between two attempts. */
  isOpen(): boolean {
    return this.#queue.length === 0 && this.#hasPlace() && this.#resting < this.#limit
  }

  /**
   * Returns the milliseconds until a request may be sent. If the result is 0, the caller must send a request now, and
   * the rate limit counts it.
   */
  holdMs(now: number): number {
    const held = this.#heldMs(now)
    return held > 0 || this.#rate === null ? held : this.#rate.holdMs(now)
  }

  /** Returns the milliseconds until the provider accepts requests again. */
  #heldMs(now: number): number {
    return Math.max(0, this.#notBefore - now)
  }

  /** Takes a slot. The caller must call it right after `isOpen` has returned true. */
  take(): void {
    this.#active++
  }

  /** Waits for a slot. Returns at once if Assay has given up on the provider. */
  async enter(): Promise<void> {
    if (this.#hasPlace() || this.#givenUp !== null) this.#active++
    else await new Promise<void>((resolve) => this.#queue.push(resolve))
  }

  leave(): void {
    this.#active--
    this.#admit()
  }

  /** Frees the slot while the trial waits between two attempts. */
  rest(): void {
    this.#resting++
    this.leave()
  }

  /** Ends the wait between two attempts. The caller must call `enter` next. */
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
   * Reports that a request sent at `sentAt` failed. `waitMs` is the time until the trial's next attempt, or null if
   * there is none.
   */
  failed(error: SubjectError, sentAt: number, now: number, waitMs: number | null): void {
    if (this.#givenUp !== null) return
    const { reason, retryAfterMs } = error
    if (reason === 'rate-limited' || isOutOfSockets(error)) this.#cut(sentAt, now)
    if (retryAfterMs !== null) this.#notBefore = Math.max(this.#notBefore, now + retryAfterMs)
    // The time until which the provider asked to wait. The random part of a single trial's wait is not included.
    const until = this.#notBefore > now ? this.#notBefore : now + (waitMs ?? 0)
    if (reason === 'rate-limited' || retryAfterMs !== null) {
      this.#refusedSince ??= now
      if (until - this.#refusedSince > this.#watch.maxWaitMs) return this.#tooLong(error, until)
    }
    const isHeld = this.#heldMs(now) >= SHOWN_WAIT_MS
    // If other requests are active, the provider still answers and only this trial waits. That is not reported.
    const isIdle = this.#active <= 1 && until - now >= SHOWN_WAIT_MS
    if ((isHeld || isIdle) && until >= this.#shownUntil + 1000) {
      this.#shownUntil = until
      this.#watch.waits(this, { why: error.message, until })
    }
    if (waitMs === null) this.#probed(error)
  }

  /** Handles the first trial of a provider if it has ended without an answer. */
  #probed(error: SubjectError): void {
    if (this.#hasAnswered) return
    if (!LOST_REASONS.has(error.reason)) {
      // The provider works. It refused only this request, so other requests may succeed.
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
    this.#giveUp(
      new SubjectError(
        `${this.name} asks to be left alone until ${new Date(until).toISOString()}, longer than the ${setDuration(this.#watch.maxWaitMs)} of --max-wait: ${error.message}`,
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

  /** Gives free slots to the trials that wait for one. */
  #admit(): void {
    while (this.#queue.length > 0 && this.#hasPlace()) {
      this.#active++
      this.#queue.shift()?.()
    }
  }
}
