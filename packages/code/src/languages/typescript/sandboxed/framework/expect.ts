/**
 * `expect`, with the matchers that vitest and jest share. A matcher is a function of the actual value. It returns
 * whether it holds, and in words what was expected. `not`, `resolves` and `rejects` work the same for all of them.
 */
import { types } from '../builtins.ts'
import { ASYMMETRIC, equals, type Asymmetric } from './equal.ts'
import { isClose, matchers, type Matcher } from './matchers.ts'
import { shown } from './shown.ts'

export class AssertionError extends Error {
  override readonly name = 'AssertionError'
}

type Chain = Record<string, unknown>

interface Counter {
  count: number
  wanted: number | null
  some: boolean
}

function check(
  matcher: Matcher,
  actual: unknown,
  args: unknown[],
  not: boolean,
  note: string,
): void {
  const { pass, wanted, got } = (matcher as (...all: unknown[]) => ReturnType<Matcher>)(
    actual,
    ...args,
  )
  if (pass !== not) return
  const words = `${not ? 'not ' : ''}${wanted}`
  throw new AssertionError(`${note}expected ${words}, got ${got ?? shown(actual)}`)
}

/** One call of `expect`: the actual value, and where its matchers report to. */
interface Expectation {
  readonly actual: unknown
  /** The caller's message, shown before the matcher's. */
  readonly note: string
  readonly own: ReadonlyMap<string, Matcher>
  readonly asserted: () => void
  /** Registers work that must finish before the test ends. */
  readonly started: (work: Promise<void>) => void
}

function chain({ actual, note, own, asserted }: Expectation, not: boolean): Chain {
  const made: Chain = {}
  for (const [name, matcher] of own)
    made[name] = (...args: unknown[]) => {
      asserted()
      check(matcher, actual, args, not, note)
    }
  return made
}

/** Matchers for the value of a fulfilled promise (`kept`) or the reason of a rejected one. */
function settledChain(
  { actual, note, own, asserted, started }: Expectation,
  kept: boolean,
  not: boolean,
): Chain {
  const settle = async (): Promise<unknown> => {
    const promise = !kept && typeof actual === 'function' ? (actual as () => unknown)() : actual
    if (!isThenable(promise)) throw new TypeError(`${shown(promise)} is not a promise`)
    const outcome = await Promise.resolve(promise).then(
      (value: unknown) => ({ kept: true, value }),
      (value: unknown) => ({ kept: false, value }),
    )
    if (outcome.kept !== kept)
      throw new AssertionError(
        `${note}expected a promise to be ${kept ? 'kept' : 'rejected'}, it was ${kept ? 'rejected with' : 'kept with'} ${shown(outcome.value)}`,
      )
    return outcome.value
  }
  const made: Chain = {}
  for (const [name, matcher] of own)
    made[name] = (...args: unknown[]) => {
      asserted()
      const work = decided(name, matcher, args)
      started(work.catch(() => {}))
      // Return another promise, so that a failure that nobody awaits is still reported as unhandled.
      return awaited(work)
    }
  async function decided(name: string, matcher: Matcher, args: unknown[]): Promise<void> {
    const value = await settle()
    check(matcher, name.startsWith('toThrow') ? thrower(value, kept) : value, args, not, note)
  }
  return made
}

/**
 * Adapts a settled promise for `toThrow`: a rejection acts like a thrown error, a fulfilled promise like a function
 * that returned.
 */
function thrower(value: unknown, kept: boolean): unknown {
  if (!kept)
    return () => {
      throw value
    }
  return typeof value === 'function' ? value : () => value
}

const isThenable = (value: unknown): boolean =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function'

const awaited = async (work: Promise<void>): Promise<void> => await work

/** Makes an `expect` with its own custom matchers and a count of its uses. */
export function makeExpect(asserted: () => void): {
  expect: unknown
  begin(): void
  end(): Promise<void>
} {
  const own = new Map(Object.entries(matchers))
  const counter: Counter = { count: 0, wanted: null, some: false }
  let started: Promise<void>[] = []
  const expect = (actual: unknown, message?: unknown): Chain => {
    counter.count++
    const expectation: Expectation = {
      actual,
      note: typeof message === 'string' ? `${message}: ` : '',
      own,
      asserted,
      started: (work) => started.push(work),
    }
    const settled = (kept: boolean): Chain => ({
      ...settledChain(expectation, kept, false),
      not: settledChain(expectation, kept, true),
    })
    // Created on first use: most expectations need none of them.
    return Object.defineProperties(chain(expectation, false), {
      not: { get: () => chain(expectation, true) },
      resolves: { get: () => settled(true) },
      rejects: { get: () => settled(false) },
    })
  }
  const fail = (message?: unknown): never => {
    asserted()
    throw new AssertionError(typeof message === 'string' ? message : 'should not be reached')
  }
  Object.assign(expect, {
    ...asymmetric(false),
    not: asymmetric(true),
    soft: expect,
    fail,
    unreachable: fail,
    assertions: (wanted: number) => {
      counter.wanted = wanted
    },
    hasAssertions: () => {
      counter.some = true
    },
    extend: (
      given: Record<
        string,
        (actual: unknown, ...args: unknown[]) => { pass: boolean; message?: () => string }
      >,
    ) => {
      for (const [name, matcher] of Object.entries(given))
        own.set(name, (actual, ...args) => {
          const { pass, message } = matcher.call({ equals }, actual, ...args)
          return { pass, wanted: message?.() ?? name }
        })
    },
  })
  return {
    expect,
    begin() {
      Object.assign(counter, { count: 0, wanted: null, some: false })
      started = []
    },
    async end() {
      if (started.length > 0) {
        await Promise.all(started)
        // Failures that nobody awaited are reported as unhandled rejections before this resolves.
        await new Promise((resolve) => setImmediate(resolve))
      }
      if (counter.wanted !== null && counter.count !== counter.wanted)
        throw new AssertionError(
          `expected ${counter.wanted} assertions, there were ${counter.count}`,
        )
      if (counter.some && counter.count === 0) throw new AssertionError('there was no assertion')
    },
  }
}

/** Makes `expect.any` and similar matchers. With `not`, makes those that have a negation. */
function asymmetric(not: boolean): Record<string, (...args: never[]) => Asymmetric> {
  const make = (matches: (value: unknown) => boolean): Asymmetric => ({
    [ASYMMETRIC]: (value) => matches(value) !== not,
  })
  const opposed = {
    arrayContaining: (items: unknown) => {
      if (!Array.isArray(items)) throw new TypeError(`${shown(items)} is not an array`)
      return make(
        (value) =>
          items.length === 0 ||
          (Array.isArray(value) && items.every((item) => value.some((one) => equals(one, item)))),
      )
    },
    objectContaining: (part: unknown) => {
      if (typeof part !== 'object' || part === null)
        throw new TypeError(`${shown(part)} is not an object`)
      return make((value) => containsAll(value, part as Record<PropertyKey, unknown>))
    },
    stringContaining: (part: unknown) => {
      if (typeof part !== 'string') throw new TypeError(`${shown(part)} is not a string`)
      return make((value) => textOf(value)?.includes(part) ?? false)
    },
    stringMatching: (pattern: unknown) => {
      if (typeof pattern !== 'string' && !(pattern instanceof RegExp))
        throw new TypeError(`${shown(pattern)} is not a regular expression`)
      return make((value) => {
        const text = textOf(value)
        return text !== null && new RegExp(pattern).test(text)
      })
    },
    closeTo: (wanted: unknown, digits: unknown = 2): Asymmetric => {
      if (typeof wanted !== 'number' || typeof digits !== 'number')
        throw new TypeError(`${shown(wanted)} is not a number`)
      return {
        [ASYMMETRIC](value) {
          const number = types.isNumberObject(value) ? Number.prototype.valueOf.call(value) : value
          // A value that is not a number fails both with and without `not`.
          return typeof number === 'number' && isClose(number, wanted, digits) !== not
        },
      }
    },
  }
  if (not) return opposed
  return {
    ...opposed,
    anything: () => make((value) => value !== null && value !== undefined),
    any: (type: new () => unknown) => {
      if (typeof type !== 'function') throw new TypeError(`${shown(type)} is not a class`)
      return make((value) => isOf(value, type))
    },
  }
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  return types.isStringObject(value) ? String.prototype.valueOf.call(value) : null
}

function containsAll(value: unknown, part: Readonly<Record<PropertyKey, unknown>>): boolean {
  const object = Object(value) as Record<PropertyKey, unknown>
  return Reflect.ownKeys(part)
    .filter((key) => Object.prototype.propertyIsEnumerable.call(part, key))
    .every((key) => Boolean(value) && key in object && equals(object[key], part[key]))
}

const PRIMITIVES = new Map<unknown, string>([
  [Number, 'number'],
  [String, 'string'],
  [Boolean, 'boolean'],
  [BigInt, 'bigint'],
  [Symbol, 'symbol'],
  [Function, 'function'],
])

function isOf(value: unknown, type: new () => unknown): boolean {
  const primitive = PRIMITIVES.get(type)
  if (primitive !== undefined && typeof value === primitive) return true
  if ((type as unknown) === Object) return typeof value === 'object'
  return value instanceof type
}
