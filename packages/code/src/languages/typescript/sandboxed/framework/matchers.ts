/** The matchers of `expect`. Numbers must be numbers and strings strings: nothing is converted. */
import { ASYMMETRIC, equals, isAsymmetric } from './equal.ts'
import { remembered, type Memory } from './mock.ts'
import { shown } from './shown.ts'

interface Finding {
  readonly pass: boolean
  /** After “expected”. */
  readonly wanted: string
  /** Instead of the actual value. */
  readonly got?: string
}

export type Matcher = (actual: unknown, ...args: never[]) => Finding & object

const value =
  (test: (actual: unknown) => boolean, wanted: string): ((actual: unknown) => Finding) =>
  (actual) => ({ pass: test(actual), wanted })

const compared =
  (test: (a: number | bigint, b: number | bigint) => boolean, words: string) =>
  (actual: unknown, bound: unknown): Finding => {
    const numeric = (one: unknown): one is number | bigint =>
      typeof one === 'number' || typeof one === 'bigint'
    return {
      pass: numeric(actual) && numeric(bound) && test(actual, bound),
      wanted: `${words} ${shown(bound)}`,
    }
  }

function toThrow(actual: unknown, wanted?: unknown): Finding {
  if (typeof actual !== 'function') return { pass: false, wanted: 'a function that throws' }
  let thrown: unknown
  try {
    ;(actual as () => unknown)()
    return {
      pass: false,
      wanted: `to throw${wanted === undefined ? '' : ` ${shown(wanted)}`}`,
      got: 'no error',
    }
  } catch (error) {
    thrown = error
  }
  const message: unknown = thrown instanceof Error ? thrown.message : thrown
  const said = typeof message === 'string' ? message : ''
  const finding = (pass: boolean): Finding => ({
    pass,
    wanted: `to throw${wanted === undefined ? '' : ` ${shown(wanted)}`}`,
    got: shown(thrown),
  })
  if (wanted === undefined) return finding(true)
  if (typeof wanted === 'string') return finding(said.includes(wanted))
  if (wanted instanceof RegExp) return finding(new RegExp(wanted).test(said))
  if (typeof wanted === 'function') return finding(thrown instanceof wanted)
  if (isAsymmetric(wanted)) return finding(wanted[ASYMMETRIC](thrown))
  if (wanted instanceof Error) return finding(said === wanted.message)
  return finding(equals(thrown, wanted, { partial: true }))
}

function toHaveProperty(
  actual: unknown,
  path: string | readonly unknown[],
  ...rest: unknown[]
): Finding {
  const keys = Array.isArray(path)
    ? (path as string[])
    : String(path)
        .replaceAll(/\[(\w+)\]/g, '.$1')
        .split('.')
  let at = actual
  let found = true
  for (const key of keys) {
    if (at === null || at === undefined || !(key in (Object(at) as object))) {
      found = false
      break
    }
    at = (at as Record<string, unknown>)[key]
  }
  const wanted = `to have a property ${shown(path)}`
  if (rest.length === 0) return { pass: found, wanted }
  return {
    pass: found && equals(at, rest[0]),
    wanted: `${wanted} of ${shown(rest[0])}`,
    got: found ? shown(at) : 'none',
  }
}

function toContain(actual: unknown, item: unknown): Finding {
  const wanted = `to contain ${shown(item)}`
  if (typeof actual === 'string')
    return { pass: typeof item === 'string' && actual.includes(item), wanted }
  const list = iterated(actual)
  return { pass: list?.some((one) => Object.is(one, item) || one === item) ?? false, wanted }
}

function iterated(actual: unknown): unknown[] | null {
  if (typeof actual !== 'object' || actual === null || !(Symbol.iterator in actual)) return null
  return [...(actual as Iterable<unknown>)]
}

/** Of mock functions. */
const mocked =
  (test: (memory: Memory, args: unknown[]) => boolean, words: (args: unknown[]) => string) =>
  (actual: unknown, ...args: unknown[]): Finding => {
    const memory = remembered(actual)
    if (memory === undefined) throw new TypeError(`${shown(actual)} is not a mock function`)
    return {
      pass: test(memory, args),
      wanted: words(args),
      got: `${memory.calls.length} calls: ${memory.calls.slice(0, 5).map(shown).join(', ')}`,
    }
  }

const withArgs = (args: unknown[]): string => `a call with ${shown(args)}`
const returned = ({ results }: Memory): unknown[] =>
  results.filter(({ type }) => type === 'return').map((one) => one.value)

const called = mocked(
  ({ calls }) => calls.length > 0,
  () => 'to have been called',
)
const calledTimes = mocked(
  ({ calls }, [count]) => calls.length === count,
  ([count]) => `${shown(count)} calls`,
)
const calledWith = mocked(({ calls }, args) => calls.some((call) => equals(call, args)), withArgs)
const lastCalledWith = mocked(({ calls }, args) => equals(calls.at(-1), args), withArgs)
const nthCalledWith = mocked(
  ({ calls }, [nth, ...args]) => equals(calls[Number(nth) - 1], args),
  ([nth, ...args]) => `call ${shown(nth)} with ${shown(args)}`,
)
const returnedWith = mocked(
  (memory, [wanted]) => returned(memory).some((one) => equals(one, wanted)),
  ([wanted]) => `to have returned ${shown(wanted)}`,
)

const unsupported = (): never => {
  throw new Error('snapshots are not supported here: write the expected value')
}

export const matchers: Readonly<Record<string, Matcher>> = {
  toBe: (actual: unknown, wanted: unknown) => ({
    pass: Object.is(actual, wanted),
    wanted: shown(wanted),
  }),
  toEqual: (actual: unknown, wanted: unknown) => ({
    pass: equals(actual, wanted),
    wanted: shown(wanted),
  }),
  toStrictEqual: (actual: unknown, wanted: unknown) => ({
    pass: equals(actual, wanted, { strict: true }),
    wanted: shown(wanted),
  }),
  toMatchObject: (actual: unknown, wanted: unknown) => ({
    pass: typeof actual === 'object' && equals(actual, wanted, { partial: true }),
    wanted: `to match ${shown(wanted)}`,
  }),
  toBeTruthy: value((one) => Boolean(one), 'something true'),
  toBeFalsy: value((one) => !one, 'something false'),
  toBeNull: value((one) => one === null, 'null'),
  toBeUndefined: value((one) => one === undefined, 'undefined'),
  toBeNullable: value((one) => one === undefined || one === null, 'null or undefined'),
  toBeDefined: value((one) => one !== undefined, 'something defined'),
  toBeNaN: value((one) => Number.isNaN(one), 'NaN'),
  toBeGreaterThan: compared((a, b) => a > b, 'more than'),
  toBeGreaterThanOrEqual: compared((a, b) => a >= b, 'at least'),
  toBeLessThan: compared((a, b) => a < b, 'less than'),
  toBeLessThanOrEqual: compared((a, b) => a <= b, 'at most'),
  toBeCloseTo: (actual: unknown, wanted: number, digits = 2) => ({
    pass:
      actual === wanted ||
      (typeof actual === 'number' && Math.abs(actual - wanted) < 10 ** -digits / 2),
    wanted: `about ${shown(wanted)}`,
  }),
  toContain,
  toContainEqual: (actual: unknown, item: unknown) => ({
    pass: iterated(actual)?.some((one) => equals(one, item)) ?? false,
    wanted: `to contain ${shown(item)}`,
  }),
  toHaveLength: (actual: unknown, wanted: number) => {
    const length = (actual as { length?: unknown } | null | undefined)?.length
    return { pass: length === wanted, wanted: `a length of ${wanted}`, got: shown(length) }
  },
  toHaveProperty,
  toMatch: (actual: unknown, pattern: string | RegExp) => ({
    pass:
      typeof actual === 'string' &&
      (typeof pattern === 'string' ? actual.includes(pattern) : new RegExp(pattern).test(actual)),
    wanted: `to match ${shown(pattern)}`,
  }),
  toThrow,
  toThrowError: toThrow,
  toBeInstanceOf: (actual: unknown, type: new () => unknown) => ({
    pass: actual instanceof type,
    wanted: `an instance of ${type.name}`,
  }),
  toBeTypeOf: (actual: unknown, type: string) => ({
    pass: typeof actual === type,
    wanted: `a ${type}`,
  }),
  toBeOneOf: (actual: unknown, list: readonly unknown[]) => ({
    pass: list.some((one) => equals(actual, one)),
    wanted: `one of ${shown(list)}`,
  }),
  toSatisfy: (actual: unknown, test: (value: unknown) => unknown) => ({
    pass: test(actual) === true,
    wanted: 'to satisfy the condition',
  }),
  toHaveBeenCalled: called,
  toBeCalled: called,
  toHaveBeenCalledOnce: mocked(
    ({ calls }) => calls.length === 1,
    () => 'one call',
  ),
  toHaveBeenCalledTimes: calledTimes,
  toBeCalledTimes: calledTimes,
  toHaveBeenCalledWith: calledWith,
  toBeCalledWith: calledWith,
  toHaveBeenCalledExactlyOnceWith: mocked(
    ({ calls }, args) => calls.length === 1 && equals(calls[0], args),
    withArgs,
  ),
  toHaveBeenLastCalledWith: lastCalledWith,
  lastCalledWith,
  toHaveBeenNthCalledWith: nthCalledWith,
  nthCalledWith,
  toHaveReturned: mocked(
    (memory) => returned(memory).length > 0,
    () => 'to have returned',
  ),
  toHaveReturnedTimes: mocked(
    (memory, [count]) => returned(memory).length === count,
    ([count]) => `to have returned ${shown(count)} times`,
  ),
  toHaveReturnedWith: returnedWith,
  toHaveLastReturnedWith: mocked(
    (memory, [wanted]) => equals(memory.results.at(-1)?.value, wanted),
    ([wanted]) => `to have returned ${shown(wanted)} last`,
  ),
  toMatchSnapshot: unsupported,
  toMatchInlineSnapshot: unsupported,
}
