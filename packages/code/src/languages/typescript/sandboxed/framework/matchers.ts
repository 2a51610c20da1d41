/**
 * The matchers of `expect`. They convert no values: numbers must be numbers and strings must be strings. If a matcher
 * does not apply to a value, it throws a `TypeError`. So the test fails with and without `not`. For example,
 * `expect('3').not.toBeGreaterThan(5)` fails, because `'3'` is not a number.
 */
import { types } from '../builtins.ts'
import { ASYMMETRIC, equals, isAsymmetric } from './equal.ts'
import type { Finding, Matcher } from './finding.ts'
import { remembered, type Memory } from './mock.ts'
import { shown } from './shown.ts'
import { snapshotMatchers } from './snapshots.ts'

/** A function saved before a solution in the same process can replace it. */
const { is } = Object

const value =
  (test: (actual: unknown) => boolean, wanted: string): ((actual: unknown) => Finding) =>
  (actual) => ({ pass: test(actual), wanted })

/** Fails the test, with and without `not`, because the matcher does not apply to the value. */
function misused(why: string): never {
  throw new TypeError(why)
}

const compared =
  (test: (a: number | bigint, b: number | bigint) => boolean, words: string) =>
  (actual: unknown, bound: unknown): Finding => ({
    pass: test(numeric(actual), numeric(bound)),
    wanted: `${words} ${shown(bound)}`,
  })

const numeric = (one: unknown): number | bigint =>
  typeof one === 'number' || typeof one === 'bigint'
    ? one
    : misused(`${shown(one)} is not a number`)

function toThrow(actual: unknown, wanted?: unknown): Finding {
  if (typeof actual !== 'function') return misused(`${shown(actual)} is not a function`)
  if (wanted === null) return misused('null is nothing that could be thrown')
  const words = `to throw${wanted === undefined ? '' : ` ${shown(wanted)}`}`
  let thrown: unknown
  try {
    ;(actual as () => unknown)()
    return { pass: false, wanted: words, got: 'no error' }
  } catch (error) {
    thrown = error
  }
  return { pass: isThrown(thrown, wanted), wanted: words, got: shown(thrown) }
}

function isThrown(thrown: unknown, wanted: unknown): boolean {
  if (wanted === undefined) return true
  if (typeof wanted === 'string' || wanted instanceof RegExp) {
    if (thrown === undefined || thrown === null)
      return misused(`${shown(thrown)} was thrown, which has no message`)
    const said = typeof thrown === 'string' ? thrown : (thrown as { message?: unknown }).message
    if (typeof said !== 'string') return false
    return typeof wanted === 'string' ? said.includes(wanted) : new RegExp(wanted).test(said)
  }
  if (typeof wanted === 'function') return thrown instanceof wanted
  if (isAsymmetric(wanted)) return Boolean(thrown) && wanted[ASYMMETRIC](thrown)
  return equals(thrown, wanted)
}

function toHaveProperty(
  actual: unknown,
  path: string | readonly unknown[],
  ...rest: unknown[]
): Finding {
  if (actual === null || actual === undefined) return misused(`${shown(actual)} has no properties`)
  const { found, value: at } = propertyAt(actual, path)
  const wanted = `to have a property ${shown(path)}`
  if (rest.length === 0) return { pass: found, wanted }
  return {
    pass: found && equals(at, rest[0]),
    wanted: `${wanted} of ${shown(rest[0])}`,
    got: found ? shown(at) : 'none',
  }
}

function propertyAt(actual: {}, path: unknown): { found: boolean; value?: unknown } {
  if (typeof path === 'string' || typeof path === 'number')
    if (Object.hasOwn(actual, path))
      return { found: true, value: (actual as Record<PropertyKey, unknown>)[path] }
  if (!actual) return misused(`${shown(actual)} has no properties of its own`)
  const keys = Array.isArray(path) ? path.map(String) : keysOfPath(path)
  if (keys.length === 0 || keys.join('') === '') return misused(`${shown(path)} is not a path`)
  let at: unknown = actual
  for (const key of keys) {
    if (at === null || at === undefined || !(key in (Object(at) as object))) return { found: false }
    at = (at as Record<string, unknown>)[key]
  }
  return { found: true, value: at }
}

/** Splits a path such as `a.b[0].c` into keys. */
const keysOfPath = (path: unknown): string[] =>
  typeof path === 'string'
    ? path
        .replaceAll(/\[(\w+)\]/g, '.$1')
        .replace(/^\./, '')
        .split('.')
    : misused(`${shown(path)} is not a path`)

function toContain(actual: unknown, item: unknown): Finding {
  const wanted = `to contain ${shown(item)}`
  if (typeof actual !== 'string')
    return { pass: listed(actual).some((one) => one === item), wanted }
  if (typeof item !== 'string') return misused(`${shown(item)} is not a string`)
  return { pass: actual.includes(item), wanted }
}

const listed = (actual: unknown): unknown[] =>
  actual === null || actual === undefined
    ? misused(`${shown(actual)} contains nothing`)
    : Array.from(actual as Iterable<unknown>)

function toHaveLength(actual: unknown, wanted: unknown): Finding {
  const counted = actual instanceof Map || actual instanceof Set
  const length = counted ? actual.size : (actual as { length?: unknown } | null | undefined)?.length
  if (typeof length !== 'number') return misused(`${shown(actual)} has no length`)
  if (typeof wanted !== 'number') return misused(`${shown(wanted)} is not a number`)
  return { pass: length === wanted, wanted: `a length of ${wanted}`, got: shown(length) }
}

function toBeCloseTo(actual: unknown, wanted: unknown, digits: unknown = 2): Finding {
  for (const one of [actual, wanted, digits])
    if (typeof one !== 'number') return misused(`${shown(one)} is not a number`)
  return {
    pass: isClose(actual as number, wanted as number, digits as number),
    wanted: `about ${shown(wanted)}`,
  }
}

export const isClose = (actual: number, wanted: number, digits: number): boolean =>
  (actual === wanted && !Number.isFinite(actual)) || Math.abs(actual - wanted) < 10 ** -digits / 2

function toBeOneOf(actual: unknown, list: unknown): Finding {
  if (!Array.isArray(list) && !(list instanceof Set))
    return misused(`${shown(list)} is neither an array nor a set`)
  const all: unknown[] = [...list]
  if (all.length === 0) return misused('nothing is one of none')
  return { pass: all.some((one) => equals(actual, one)), wanted: `one of ${shown(list)}` }
}

function toSatisfy(actual: unknown, test: (value: unknown) => unknown): Finding {
  const found = test(actual)
  if (types.isPromise(found)) return misused('the condition is a promise, which is always true')
  return { pass: Boolean(found), wanted: 'to satisfy the condition' }
}

/** Creates a matcher that checks the recorded calls of a mock function. */
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
const sameArgs = (call: readonly unknown[] | undefined, args: readonly unknown[]): boolean =>
  call?.length === args.length && call.every((one, index) => equals(one, args[index]))
const calledWith = mocked(({ calls }, args) => calls.some((call) => sameArgs(call, args)), withArgs)
const lastCalledWith = mocked(({ calls }, args) => sameArgs(calls.at(-1), args), withArgs)
const nthCalledWith = mocked(
  ({ calls }, [nth, ...args]) => sameArgs(calls[Number(nth) - 1], args),
  ([nth, ...args]) => `call ${shown(nth)} with ${shown(args)}`,
)
const isReturned = (result: Memory['results'][number] | undefined, wanted: unknown): boolean =>
  result?.type === 'return' && equals(result.value, wanted)
const anyReturned = mocked(
  (memory) => returned(memory).length > 0,
  () => 'to have returned',
)
const returnedTimes = mocked(
  (memory, [count]) => returned(memory).length === count,
  ([count]) => `to have returned ${shown(count)} times`,
)
const returnedWith = mocked(
  (memory, [wanted]) => returned(memory).some((one) => equals(one, wanted)),
  ([wanted]) => `to have returned ${shown(wanted)}`,
)

export const matchers: Readonly<Record<string, Matcher>> = {
  toBe: (actual: unknown, wanted: unknown) => ({
    pass: is(actual, wanted),
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
    pass: equals(actual, wanted, { partial: true }),
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
  toBeCloseTo,
  toContain,
  toContainEqual: (actual: unknown, item: unknown) => ({
    pass: listed(actual).some((one) => equals(one, item)),
    wanted: `to contain ${shown(item)}`,
  }),
  toHaveLength,
  toHaveProperty,
  toMatch: (actual: unknown, pattern: string | RegExp) => {
    if (typeof actual !== 'string') return misused(`${shown(actual)} is not a string`)
    const pass =
      typeof pattern === 'string' ? actual.includes(pattern) : new RegExp(pattern).test(actual)
    return { pass, wanted: `to match ${shown(pattern)}` }
  },
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
  toBeOneOf,
  toSatisfy,
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
    ({ calls }, args) => calls.length === 1 && sameArgs(calls[0], args),
    withArgs,
  ),
  toHaveBeenLastCalledWith: lastCalledWith,
  lastCalledWith,
  toHaveBeenNthCalledWith: nthCalledWith,
  nthCalledWith,
  toHaveReturned: anyReturned,
  toReturn: anyReturned,
  toHaveReturnedTimes: returnedTimes,
  toReturnTimes: returnedTimes,
  toReturnWith: returnedWith,
  toHaveReturnedWith: returnedWith,
  toHaveLastReturnedWith: mocked(
    ({ results }, [wanted]) => isReturned(results.at(-1), wanted),
    ([wanted]) => `to have returned ${shown(wanted)} last`,
  ),
  toHaveNthReturnedWith: mocked(
    ({ results }, [nth, wanted]) => isReturned(results[Number(nth) - 1], wanted),
    ([nth, wanted]) => `call ${shown(nth)} to have returned ${shown(wanted)}`,
  ),
  ...snapshotMatchers,
}
