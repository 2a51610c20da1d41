/**
 * The test libraries that a test file imports or uses as globals: `node:test`, vitest and jest. They share one
 * registry, one `expect` and one kind of mock.
 */
import { makeExpect } from './expect.ts'
import { mockFunction, nodeMock, spyOn } from './mock.ts'
import { shown } from './shown.ts'
import { called, type Body, type Hook, type Marks, type Registry } from './suite.ts'

type Anything = (...args: never[]) => unknown

/** A clock that a test moves by hand. Available only if solution and tests share a process. */
export interface Clock {
  readonly use: () => void
  readonly restore: () => void
  readonly advance: (ms: number) => void
  readonly runAll: () => void
  readonly set: (now: number | Date) => void
}

export interface Library {
  /** Modules by the name under which they are imported. */
  readonly modules: ReadonlyMap<string, Record<string, unknown>>
  readonly globals: Readonly<Record<string, unknown>>
}

interface Options {
  readonly skip?: unknown
  readonly todo?: unknown
  readonly only?: unknown
  readonly fails?: unknown
}

export function makeLibrary(
  registry: Registry,
  clock: Clock | null,
  asserted: () => void,
): Library {
  const own = makeExpect(asserted)
  const { expect } = own
  const mocks = new Set<{ mockReset(): void }>()

  const counted =
    (body: Body): Body =>
    async (context) => {
      own.begin()
      await called(body, context)
      await own.end()
    }

  const registering = (add: (name: string, body: Body, marks: Marks) => unknown): unknown => {
    const plain = (marks: Marks) =>
      function register(...given: unknown[]): unknown {
        const body = given.find((one) => typeof one === 'function') as Body | undefined
        const options =
          given.find((one): one is Options => typeof one === 'object' && one !== null) ?? {}
        const name = typeof given[0] === 'string' ? given[0] : nameOf(given[0])
        registry.touched = true
        if (body === undefined) {
          registry.skipped.push(name)
          return undefined
        }
        const set = (mark: unknown): boolean => mark !== undefined && mark !== false && mark !== ''
        return add(name, body, {
          skip: marks.skip === true || set(options.skip) || set(options.todo),
          only: marks.only === true || set(options.only),
          fails: marks.fails === true || set(options.fails),
        })
      }
    const full = (marks: Marks): unknown => {
      const register = plain(marks)
      return Object.assign(register, {
        each: (table: unknown, ...values: unknown[]) => eachOf(register, table, values),
        for: (table: unknown, ...values: unknown[]) => eachOf(register, table, values, true),
      })
    }
    const base = full({}) as Record<string, unknown>
    const lazily = (make: () => unknown): PropertyDescriptor => ({ get: make, configurable: true })
    return Object.defineProperties(base, {
      skip: lazily(() => full({ skip: true })),
      todo: lazily(() => full({ skip: true })),
      only: lazily(() => full({ only: true })),
      fails: lazily(() => full({ fails: true })),
      failing: lazily(() => full({ fails: true })),
      concurrent: lazily(() => base),
      sequential: lazily(() => base),
      skipIf: lazily(() => (condition: unknown) => full(condition ? { skip: true } : {})),
      runIf: lazily(() => (condition: unknown) => full(condition ? {} : { skip: true })),
    })
  }

  const test = registering((name, body, marks) => {
    registry.test(name, counted(body), marks)
    return Promise.resolve()
  }) as Record<string, unknown>
  const describe = registering((name, body, marks) =>
    registry.describe(name, body as () => unknown, marks),
  ) as Record<string, unknown>
  const hook =
    (kind: Hook) =>
    (body: Body): void =>
      registry.hook(kind, body)
  const hooks = {
    before: hook('before'),
    after: hook('after'),
    beforeAll: hook('before'),
    afterAll: hook('after'),
    beforeEach: hook('beforeEach'),
    afterEach: hook('afterEach'),
  }

  const noClock = (): never => {
    throw new Error(
      'mock timers need the tests in the process of the solution (integrity = "in-process")',
    )
  }
  const all = (what: 'mockClear' | 'mockReset' | 'mockRestore') => () => {
    for (const one of mocks) (one as unknown as Record<string, () => void>)[what]?.()
    return vi
  }
  const vi: Record<string, unknown> = {
    fn: (implementation?: Anything) => mockFunction(implementation as never, mocks),
    spyOn: (object: Record<string, unknown>, key: string) => spyOn(object, key, mocks),
    isMockFunction: (one: unknown) => typeof one === 'function' && 'mock' in one,
    clearAllMocks: all('mockClear'),
    resetAllMocks: all('mockReset'),
    restoreAllMocks: all('mockRestore'),
    mocked: (one: unknown) => one,
    useFakeTimers: () => (clock === null ? noClock() : (clock.use(), vi)),
    useRealTimers: () => (clock?.restore(), vi),
    advanceTimersByTime: (ms: number) => (clock === null ? noClock() : (clock.advance(ms), vi)),
    advanceTimersByTimeAsync: async (ms: number) => {
      if (clock === null) noClock()
      else await stepwise(clock, ms)
      return vi
    },
    runAllTimers: () => (clock === null ? noClock() : (clock.runAll(), vi)),
    runAllTimersAsync: async () => {
      if (clock === null) noClock()
      else clock.runAll()
      await turned()
      return vi
    },
    runOnlyPendingTimers: () => (clock === null ? noClock() : (clock.runAll(), vi)),
    setSystemTime: (now: number | Date) => (clock === null ? noClock() : (clock.set(now), vi)),
    waitFor: waitFor,
    mock: () => {
      throw new Error('modules cannot be mocked here')
    },
  }
  const timers =
    clock === null
      ? { enable: noClock, tick: noClock, reset() {}, runAll: noClock, setTime: noClock }
      : {
          enable: clock.use,
          tick: (ms = 1) => clock.advance(ms),
          reset: clock.restore,
          runAll: clock.runAll,
          setTime: clock.set,
        }
  const mock = {
    fn: nodeMock,
    method(object: Record<string, unknown>, key: string, implementation?: unknown) {
      const original = object[key]
      const made = nodeMock(original, implementation)
      object[key] = made
      const control = (made as unknown as { mock: Record<string, unknown> }).mock
      control['restore'] = () => {
        object[key] = original
      }
      restores.push(control['restore'] as () => void)
      return made
    },
    reset: () => restoreAll(),
    restoreAll: () => restoreAll(),
    timers,
  }
  const restores: (() => void)[] = []
  const restoreAll = (): void => {
    for (const one of restores.splice(0)) one()
  }

  const nodeTest = Object.assign(test, {
    test,
    it: test,
    describe,
    suite: describe,
    ...hooks,
    mock,
  })
  const vitest = { test, it: test, describe, suite: describe, ...hooks, expect, vi }
  const jest = { ...vitest, jest: vi }
  const named = (names: Record<string, unknown>, main: unknown): Record<string, unknown> => ({
    ...names,
    default: main,
  })
  const forNode = named({ test, it: test, describe, suite: describe, ...hooks, mock }, nodeTest)
  return {
    modules: new Map([
      ['node:test', forNode],
      ['test', forNode],
      ['vitest', named(vitest, vitest)],
      ['@jest/globals', named(jest, jest)],
      ['bun:test', named({ ...jest, mock: vi['fn'] }, jest)],
    ]),
    globals: { ...jest },
  }
}

const nameOf = (given: unknown): string =>
  typeof given === 'function' && given.name !== '' ? given.name : ''

/** `test.each` with rows, objects, or a template with headings. */
function eachOf(
  register: (...given: unknown[]) => unknown,
  table: unknown,
  values: unknown[],
  whole = false,
): (name: unknown, body: Anything) => void {
  let rows: readonly unknown[] = Array.isArray(table) ? (table as unknown[]) : []
  if (Array.isArray(table) && 'raw' in table) {
    const headings = String(table[0])
      .trim()
      .split('|')
      .map((one) => one.trim())
    rows = Array.from({ length: Math.floor(values.length / headings.length) }, (_, row) =>
      Object.fromEntries(headings.map((name, i) => [name, values[row * headings.length + i]])),
    )
  }
  return (name, body) => {
    for (const [index, row] of rows.entries()) {
      const args: unknown[] = Array.isArray(row) && !whole ? (row as unknown[]) : [row]
      register(titled(String(name), args, index), () =>
        (body as (...args: unknown[]) => unknown)(...args),
      )
    }
  }
}

function titled(name: string, args: readonly unknown[], index: number): string {
  let next = 0
  const [first] = args
  const row =
    typeof first === 'object' && first !== null ? (first as Record<string, unknown>) : null
  return name
    .replaceAll(/%[sdifjoO#p%]/g, (mark) => {
      if (mark === '%%') return '%'
      if (mark === '%#') return String(index)
      if (next >= args.length) return mark
      const arg = args[next++]
      return mark === '%s' && typeof arg === 'string' ? arg : shown(arg)
    })
    .replaceAll(/\$(\w+)/g, (mark, key: string) =>
      row !== null && key in row ? shown(row[key]) : mark,
    )
}

const turned = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function stepwise(clock: Clock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10) {
    clock.advance(Math.min(10, ms - passed))
    for (let turn = 0; turn < 5; turn++) await Promise.resolve()
  }
}

async function waitFor(
  check: () => unknown,
  options?: number | { timeout?: number; interval?: number },
): Promise<unknown> {
  const { timeout = 1000, interval = 20 } =
    typeof options === 'number' ? { timeout: options } : (options ?? {})
  const end = Date.now() + timeout
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (Date.now() > end) throw error
      await new Promise((resolve) => setTimeout(resolve, interval))
    }
  }
}
