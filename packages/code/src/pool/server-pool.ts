/**
 * A pool of servers of one kind. Each server handles one piece of work after another. If all servers are busy, work
 * waits for one. Another server is started only after work has waited often or for long, because a start takes as
 * long as fifteen solutions, and many runs have no more solutions than that. There are never more servers than pieces
 * of work at the same time.
 */
import { SandboxError } from '@assay/sandbox'

interface Closable {
  readonly isDead: boolean
  close(): Promise<void>
}

/** After this many waits, another server is started. */
const MOST_WAITS = 24
/**
 * The longest time that work waits for a busy server before a new server is started. The limit is at least
 * `PATIENCE_STARTS` times the duration of the first start, so it is longer on slow machines.
 */
const PATIENCE_MS = 1000
const PATIENCE_STARTS = 10

interface Waiting<T> {
  readonly prefer: (one: T) => boolean
  timer: NodeJS.Timeout | undefined
  /** Called with a free server. Called with null if the waiting work must start a new server. */
  readonly go: (one: T | null) => void
}

export class Pool<T extends Closable> {
  readonly #make: () => T
  #idle: T[] = []
  readonly #all = new Set<T>()
  #waiting: Waiting<T>[] = []
  /** How many pieces of work have waited since the last server was started. */
  #waits = 0
  /**
   * Whether the first server has begun work. Until then no second server is started, because starting it would only
   * delay the first.
   */
  #hasBegun = false
  #patienceMs = PATIENCE_MS
  readonly #closing = new Set<Promise<void>>()
  #isClosed = false

  constructor(make: () => T) {
    this.#make = make
  }

  /**
   * Begins work on a free server or, if there is none, on a new one. `begin` may throw on a server that was used
   * before. Then that server has failed in the meantime, and another one is tried.
   */
  async take<R>(
    begin: (one: T) => Promise<R>,
    prefer: (one: T) => boolean = () => false,
  ): Promise<{ readonly one: T; readonly begun: R }> {
    for (;;) {
      const next = this.#next(prefer)
      // Await only if this is a promise. Awaiting a plain value would let other callers run first, and they could
      // start a server too.
      const one = next instanceof Promise ? await next : next
      if (one === null) break
      try {
        if (!one.isDead) return { one, begun: await begin(one) }
        this.#drop(one)
      } catch {
        this.#drop(one)
      }
    }
    if (this.#isClosed) throw new SandboxError('the graders were closed')
    const at = performance.now()
    const made = this.#make()
    this.#all.add(made)
    try {
      const begun = await begin(made)
      this.#begin(performance.now() - at)
      return { one: made, begun }
    } catch (error) {
      this.#drop(made)
      throw error
    }
  }

  /** Starts the first server. Work that arrives during the start waits for it. */
  warm(begin: (one: T) => Promise<unknown>): void {
    if (this.#all.size > 0) return
    this.take(begin).then(
      ({ one }) => this.free(one),
      () => {},
    )
  }

  /** How many pieces of work wait for a server. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Returns a free server, or a promise of one that becomes free. Null if the caller must start a new one. */
  #next(prefer: (one: T) => boolean): T | Promise<T | null> | null {
    const at = this.#idle.findIndex((one) => prefer(one))
    const free = at === -1 ? this.#idle.pop() : this.#idle.splice(at, 1)[0]
    if (free !== undefined) return free
    if (this.#all.size === 0 || this.#isClosed || ++this.#waits > MOST_WAITS) {
      this.#waits = 0
      return null
    }
    return new Promise((go) => {
      const waiting: Waiting<T> = { prefer, timer: undefined, go }
      this.#waiting.push(waiting)
      if (this.#hasBegun) this.#wind(waiting)
    })
  }

  #begin(startMs: number): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    this.#patienceMs = Math.max(PATIENCE_MS, PATIENCE_STARTS * startMs)
    for (const waiting of this.#waiting) this.#wind(waiting)
  }

  #wind(waiting: Waiting<T>): void {
    waiting.timer = setTimeout(() => this.#release(waiting, null), this.#patienceMs)
  }

  #release(waiting: Waiting<T>, one: T | null): void {
    clearTimeout(waiting.timer)
    this.#waiting = this.#waiting.filter((other) => other !== waiting)
    if (one === null) this.#waits = 0
    waiting.go(one)
  }

  /** Returns a server to the pool, or gives it to work that waits for one. */
  free(one: T): void {
    if (one.isDead || this.#isClosed) {
      this.#drop(one)
      return
    }
    const next = this.#waiting.find(({ prefer }) => prefer(one)) ?? this.#waiting[0]
    if (next === undefined) this.#idle.push(one)
    else this.#release(next, one)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const waiting of this.#waiting) this.#release(waiting, null)
    await Promise.all([...this.#closing, ...[...this.#all].map((one) => one.close())])
  }

  #drop(one: T): void {
    this.#all.delete(one)
    const closing = one.close()
    this.#closing.add(closing)
    void closing.finally(() => this.#closing.delete(closing))
    // The dropped server will never become free, so the work that has waited longest starts a new one.
    const [next] = this.#waiting
    if (next !== undefined) this.#release(next, null)
  }
}
