/** The objects `vi` (vitest) and `jest`: mock functions, spies, stubs, fake timers and mocked modules. */
import type { Clock } from './clock.ts'
import { mockFunction, remembered, spyOn, type Mocks } from './mock.ts'
import { refusing } from './refused.ts'

type Anything = (...args: unknown[]) => unknown
type Keyed = Record<PropertyKey, unknown>

/**
 * Mocks of modules that the solution imports. They work only if the tests run in the solution's process and start
 * before the solution is loaded.
 */
export interface ModuleMocks {
  /** Registers a mock. If `make` is null, the mock is derived from the real module. */
  mock(specifier: string, make: ((original: () => unknown) => unknown) | null): void
  unmock(specifier: string): void
  actual(specifier: string): unknown
  mocked(specifier: string): unknown
}

/**
 * Features that change the clock or the modules of a solution. They work only if the tests run in the solution's
 * process.
 */
export interface InProcess {
  readonly clock: Clock
  readonly modules: ModuleMocks
}

/** An implementation that does nothing. It is used when Assay only lists the tests, without a solution. */
export const pretended: InProcess = {
  clock: {
    use() {},
    restore() {},
    isOn: false,
    advance() {},
    advanceAsync: async () => {},
    jump() {},
    jumpToLast() {},
    runAll() {},
    runAllAsync: async () => {},
    runPending() {},
    runPendingAsync: async () => {},
    next() {},
    nextAsync: async () => {},
    set() {},
    now: () => 0,
    clear() {},
    count: () => 0,
  },
  modules: { mock() {}, unmock() {}, actual: () => ({}), mocked: () => ({}) },
}

export const needsProcess = (what: string): never => {
  throw new Error(
    `${what} needs the tests in the process of the solution (integrity = "in-process")`,
  )
}

/** Returns the `vi` or `jest` object, and a function that undoes the changes that tests made with it. */
export function makeVi(
  name: 'vi' | 'jest',
  beside: InProcess | null,
): { readonly vi: object; readonly dispose: () => void } {
  const mocks: Mocks = { all: new Set(), forgets: name === 'jest' }
  const stubs = new Map<string, PropertyDescriptor | undefined>()
  const variables = new Map<string, string | undefined>()
  const clock = (): Clock => beside?.clock ?? needsProcess('mock timers')
  const modules = (): ModuleMocks => beside?.modules ?? needsProcess(`${name}.mock`)
  const all = (what: 'mockClear' | 'mockReset' | 'mockRestore') => (): unknown => {
    for (const one of mocks.all) (one[what] as () => void)()
    return vi
  }
  const timed =
    <Args extends unknown[]>(move: (clock: Clock, ...args: Args) => void) =>
    (...args: Args): unknown => {
      move(clock(), ...args)
      return vi
    }
  const timedAsync =
    <Args extends unknown[]>(move: (clock: Clock, ...args: Args) => Promise<void>) =>
    async (...args: Args): Promise<unknown> => {
      await move(clock(), ...args)
      return vi
    }
  const unstubGlobals = (): void => {
    for (const [key, found] of stubs)
      if (found === undefined) Reflect.deleteProperty(globalThis, key)
      else Object.defineProperty(globalThis, key, found)
    stubs.clear()
  }
  const unstubEnvs = (): void => {
    for (const [key, value] of variables)
      if (value === undefined) Reflect.deleteProperty(process.env, key)
      else process.env[key] = value
    variables.clear()
  }
  const own: Keyed = {
    fn: (implementation?: Anything) => mockFunction(implementation, mocks),
    spyOn: (object: Keyed, key: PropertyKey, access?: 'get' | 'set') =>
      spyOn(object, key, mocks, access),
    replaceProperty(object: Keyed, key: PropertyKey, value: unknown) {
      const original = object[key]
      const restore = (): void => void (object[key] = original)
      object[key] = value
      const control = { mockReset() {}, mockClear() {}, mockRestore: restore, restore }
      mocks.all.add(control)
      return control
    },
    isMockFunction: (one: unknown) => remembered(one) !== undefined,
    clearAllMocks: all('mockClear'),
    resetAllMocks: all('mockReset'),
    restoreAllMocks: all('mockRestore'),
    mocked: (one: unknown) => one,
    stubGlobal(key: string, value: unknown) {
      if (beside === null) needsProcess(`${name}.stubGlobal`)
      if (!stubs.has(key)) stubs.set(key, Reflect.getOwnPropertyDescriptor(globalThis, key))
      const property = { value, writable: true, configurable: true, enumerable: true }
      Object.defineProperty(globalThis, key, property)
      return vi
    },
    unstubAllGlobals: () => (unstubGlobals(), vi),
    stubEnv(key: string, value: string | boolean | undefined) {
      if (beside === null) needsProcess(`${name}.stubEnv`)
      if (!variables.has(key)) variables.set(key, process.env[key])
      if (value === undefined) Reflect.deleteProperty(process.env, key)
      else process.env[key] = String(value)
      return vi
    },
    unstubAllEnvs: () => (unstubEnvs(), vi),
    useFakeTimers: timed((one, options?: unknown) => {
      const { now, toFake } = Object(options) as { now?: number | Date; toFake?: string[] }
      one.use({ ...(now === undefined ? {} : { now: Number(now) }), only: toFake })
    }),
    useRealTimers: () => (beside?.clock.restore(), vi),
    isFakeTimers: () => beside?.clock.isOn ?? false,
    advanceTimersByTime: timed((one, ms: number) => one.advance(ms)),
    advanceTimersByTimeAsync: timedAsync((one, ms: number) => one.advanceAsync(ms)),
    advanceTimersToNextTimer: timed((one, steps = 1) => {
      for (let left = Number(steps); left > 0; left--) one.next()
    }),
    advanceTimersToNextTimerAsync: timedAsync((one) => one.nextAsync()),
    runAllTimers: timed((one) => one.runAll()),
    runAllTimersAsync: timedAsync((one) => one.runAllAsync()),
    runOnlyPendingTimers: timed((one) => one.runPending()),
    runOnlyPendingTimersAsync: timedAsync((one) => one.runPendingAsync()),
    runAllTicks: () => vi,
    clearAllTimers: timed((one) => one.clear()),
    getTimerCount: () => clock().count(),
    setSystemTime: timed((one, now?: number | Date) => {
      // In vitest, a test can set the system time without fake timers. Then only `Date` is replaced.
      if (!one.isOn) one.use({ only: ['Date'] })
      one.set(now ?? Date.now())
    }),
    getMockedSystemTime: () => (clock().isOn ? new Date(clock().now()) : null),
    getRealSystemTime: () => Date.now(),
    now: () => beside?.clock.now() ?? Date.now(),
    waitFor,
    waitUntil: (check: () => unknown, options?: Waiting) =>
      waitFor(async () => {
        const value = await check()
        if (!value) throw new Error('what the test waits for did not come true')
        return value
      }, options),
    hoisted: (make: () => unknown) => make(),
    mock: (specifier: unknown, make?: unknown) => {
      // `specifier` is a string here. For `vi.mock(import('./x'))`, the test file was rewritten to pass `'./x'`.
      modules().mock(String(specifier), typeof make === 'function' ? (make as Anything) : null)
      return vi
    },
    unmock: (specifier: unknown) => (modules().unmock(String(specifier)), vi),
    importActual: async (specifier: unknown) => modules().actual(String(specifier)),
    requireActual: (specifier: unknown) => modules().actual(String(specifier)),
    importMock: async (specifier: unknown) => modules().mocked(String(specifier)),
    requireMock: (specifier: unknown) => modules().mocked(String(specifier)),
    setConfig() {},
    resetConfig() {},
    setTimeout: () => vi,
    dynamicImportSettled: async () => {},
  }
  const vi = refusing(own, name)
  return {
    vi,
    dispose() {
      unstubGlobals()
      unstubEnvs()
      beside?.clock.restore()
    },
  }
}

type Waiting = number | { readonly timeout?: number; readonly interval?: number }

/** Calls the function repeatedly until it does not throw, and returns its result. */
async function waitFor(check: () => unknown, options?: Waiting): Promise<unknown> {
  const { timeout = 1000, interval = 50 } =
    typeof options === 'number' ? { timeout: options } : (options ?? {})
  return retried(check, timeout, interval)
}

// The real functions. They are saved because `waitFor` must also work while a test has faked the timers.
const { setTimeout: realTimeout, Date: RealDate } = globalThis

export async function retried(
  check: () => unknown,
  timeout: number,
  interval: number,
): Promise<unknown> {
  const end = RealDate.now() + timeout
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (RealDate.now() > end) throw error
      await new Promise((resolve) => void realTimeout(resolve, interval))
    }
  }
}

/** Returns a copy of the module in which each function is a mock, as with `vi.mock` without a second argument. */
export function automocked(module: object, fn: (make?: Anything) => Anything): Keyed {
  const made: Keyed = {}
  for (const [key, value] of Object.entries(module))
    if (typeof value === 'function') made[key] = fn()
    else if (Array.isArray(value)) made[key] = []
    else if (typeof value === 'object' && value !== null)
      made[key] = automocked(value as object, fn)
    else made[key] = value as unknown
  return made
}
