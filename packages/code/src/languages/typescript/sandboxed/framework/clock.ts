/**
 * A fake clock that a test moves forward itself. It replaces the timers, `Date` and `performance.now` of this
 * process, so it works only if the solution and the tests share a process. Timers run in the order of their times.
 * Timers with the same time run in the order in which they were created.
 */
export interface Clock {
  use(options?: { readonly now?: number; readonly only?: readonly string[] | undefined }): void
  restore(): void
  readonly isOn: boolean
  /** Moves the time forward and runs the timers that become due, each at its own time. */
  advance(ms: number): void
  advanceAsync(ms: number): Promise<void>
  /**
   * Moves the time forward in one step, and only then runs the timers that are due. `node:test` does it in this way.
   */
  jump(ms: number): void
  /** Jumps to the time of the last timer. */
  jumpToLast(): void
  /** Runs timers until none is left. */
  runAll(): void
  runAllAsync(): Promise<void>
  /** Runs the timers that exist now, but not the timers that they start. */
  runPending(): void
  runPendingAsync(): Promise<void>
  /** Runs the next timer. */
  next(): void
  nextAsync(): Promise<void>
  set(now: number | Date): void
  now(): number
  clear(): void
  count(): number
}

interface Timer {
  readonly id: number
  at: number
  readonly every: number | null
  readonly call: () => void
}

const MOST_TIMERS = 10_000
const NAMES = ['setTimeout', 'setInterval', 'setImmediate'] as const
const CLEARS = ['clearTimeout', 'clearInterval', 'clearImmediate'] as const

type Globals = Record<string, unknown>

/** Creates a fake clock. The real functions are saved now, before a solution can replace them. */
export function fakeClock(): Clock {
  const globals = globalThis as unknown as Globals
  const RealDate = Date
  const { setImmediate: realImmediate } = globalThis
  const realNow = performance.now.bind(performance)
  let timers: Timer[] = []
  let saved: Map<string, unknown> | null = null
  let now = 0
  let began = 0
  let last = 0

  const start =
    (name: (typeof NAMES)[number]) =>
    (callback: (...args: unknown[]) => void, ...rest: unknown[]): object => {
      const delay = name === 'setImmediate' ? 0 : Math.max(1, Math.trunc(Number(rest.shift())) || 1)
      const id = ++last
      timers.push({
        id,
        at: now + delay,
        every: name === 'setInterval' ? delay : null,
        call: () => callback(...rest),
      })
      if (timers.length > MOST_TIMERS) throw new Error(`more than ${MOST_TIMERS} timers`)
      const handle = {
        ref: () => handle,
        unref: () => handle,
        hasRef: () => true,
        refresh() {
          const timer = timers.find((one) => one.id === id)
          if (timer !== undefined) timer.at = now + delay
          return handle
        },
        [Symbol.toPrimitive]: () => id,
        [Symbol.dispose]: () => stop(id),
      }
      return handle
    }
  const stop = (handle: unknown): void => {
    const id = handle === undefined || handle === null ? 0 : Number(handle)
    timers = timers.filter((one) => one.id !== id)
  }
  const due = (until: number): Timer | undefined =>
    timers
      .filter(({ at }) => at <= until)
      .reduce<Timer | undefined>(
        (first, one) =>
          first === undefined || one.at < first.at || (one.at === first.at && one.id < first.id)
            ? one
            : first,
        undefined,
      )
  const fire = (timer: Timer): void => {
    now = Math.max(now, timer.at)
    if (timer.every === null) timers = timers.filter((one) => one !== timer)
    else timer.at += timer.every
    timer.call()
  }
  /** Waits until pending promises and their callbacks have run. */
  const settle = (): Promise<void> => new Promise((resolve) => void realImmediate(() => resolve()))

  /**
   * Runs the due timers one after another. The generator pauses before the first timer and after each, so that the
   * caller can wait for promises there.
   */
  function* stepsTo(until: () => number, most = Infinity): Generator<void> {
    yield
    for (let fired = 0; fired < most; fired++) {
      const timer = due(until())
      if (timer === undefined) return
      if (fired >= MOST_TIMERS) throw new Error(`${MOST_TIMERS} timers ran, and there are more`)
      fire(timer)
      yield
    }
  }
  function* advancing(ms: number): Generator<void> {
    const end = now + ms
    yield* stepsTo(() => end)
    now = end
  }
  function* pending(): Generator<void> {
    const ids = new Set(timers.map(({ id }) => id))
    const lasts = timers.map(({ at }) => at)
    const until = lasts.length === 0 ? now : Math.max(...lasts)
    yield
    for (let timer = due(until); timer !== undefined; timer = due(until)) {
      if (ids.has(timer.id)) fire(timer)
      // Another timer of this run started this timer. Keep it aside until the run is over.
      else {
        const one = timer
        const rest = timers.filter((other) => other !== one)
        timers = rest
        held.push(one)
      }
      yield
    }
    timers.push(...held.splice(0))
  }
  const held: Timer[] = []
  const all = (): Generator<void> => stepsTo(() => Infinity)
  const sync = (steps: Generator<void>): void => {
    for (const _ of steps);
  }
  const stepped = async (steps: Generator<void>): Promise<void> => {
    for (const _ of steps) await settle()
    await settle()
  }

  const fakeDate = (): unknown => {
    class FakeDate extends RealDate {
      constructor(...args: unknown[]) {
        if (args.length === 0) super(now)
        else super(...(args as [number]))
      }
      static override now(): number {
        return now
      }
    }
    Object.defineProperty(FakeDate, 'name', { value: 'Date' })
    Object.defineProperty(FakeDate, Symbol.hasInstance, {
      value: (one: unknown) => one instanceof RealDate,
    })
    return new Proxy(FakeDate, { apply: () => new RealDate(now).toString() })
  }

  const clock: Clock = {
    use({ now: given = RealDate.now(), only } = {}) {
      clock.restore()
      now = given
      began = given
      saved = new Map()
      const fakes: Globals = { Date: fakeDate() }
      for (const name of NAMES) fakes[name] = start(name)
      for (const name of CLEARS) fakes[name] = stop
      for (const [name, fake] of Object.entries(fakes)) {
        const kind = name.replace('clear', 'set')
        if (only !== undefined && !only.includes(kind) && !only.includes(name)) continue
        saved.set(name, globals[name])
        globals[name] = fake
      }
      if (only === undefined || only.includes('performance')) performance.now = () => now - began
    },
    restore() {
      for (const [name, real] of saved ?? []) globals[name] = real
      saved = null
      timers = []
      performance.now = realNow
    },
    get isOn() {
      return saved !== null
    },
    advance: (ms) => sync(advancing(ms)),
    advanceAsync: (ms) => stepped(advancing(ms)),
    jump(ms) {
      now += ms
      sync(stepsTo(() => now))
    },
    jumpToLast() {
      if (timers.length > 0) clock.jump(Math.max(...timers.map(({ at }) => at)) - now)
    },
    runAll: () => sync(all()),
    runAllAsync: () => stepped(all()),
    runPending: () => sync(pending()),
    runPendingAsync: () => stepped(pending()),
    next: () => sync(stepsTo(() => Infinity, 1)),
    nextAsync: () => stepped(stepsTo(() => Infinity, 1)),
    set(given) {
      const moved = Number(given) - now
      for (const timer of timers) timer.at += moved
      began += moved
      now += moved
    },
    now: () => (saved === null ? RealDate.now() : now),
    clear() {
      timers = []
    },
    count: () => timers.length,
  }
  return clock
}
