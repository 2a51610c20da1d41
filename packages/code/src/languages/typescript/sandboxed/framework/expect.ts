/**
 * The function `expect`, with the matchers that vitest and jest share. A matcher is a function of the actual value.
 * It returns whether the value matches, and a description of the expected value. `not`, `resolves` and `rejects` work
 * in the same way with every matcher.
 */
import { types } from '../builtins.ts'
import { CHAI_WORDS, type Chai } from './chai.ts'
import { customAsymmetric, customMatcher, type CustomMatcher } from './custom-matchers.ts'
import { ASYMMETRIC, equals, type Asymmetric } from './equal.ts'
import type { Finding, Matcher } from './finding.ts'
import { isClose, matchers } from './matchers.ts'
import { Refused, refusing } from './refused.ts'
import { shown } from './shown.ts'
import { retried } from './vi.ts'
import { SHOWN_AS } from './written.ts'

/** Functions saved before a solution in the same process, or a test with fake timers, can replace them. */
const SavedProxy = Proxy
const { setImmediate: realImmediate } = globalThis

export class AssertionError extends Error {
  override readonly name = 'AssertionError'
}

type Chain = Record<string, unknown>
type Checked = (matcher: Matcher, actual: unknown, args: unknown[], not: boolean) => unknown

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
): unknown {
  const found = (matcher as (...all: unknown[]) => ReturnType<Matcher>)(actual, ...args)
  if (isThenable(found)) return settledFinding(found)
  judge(found)
  return undefined

  async function settledFinding(finding: unknown): Promise<void> {
    judge((await finding) as Finding)
  }
  function judge({ pass, wanted, got, message }: Finding): void {
    if (pass !== not) return
    if (message !== undefined) throw new AssertionError(`${note}${message}`)
    const words = `${not ? 'not ' : ''}${wanted}`
    throw new AssertionError(`${note}expected ${words}, got ${got ?? shown(actual)}`)
  }
}

/** One call of `expect`: the actual value, and the functions to which its matchers report. */
interface Expectation {
  readonly actual: unknown
  /** The message that the test passes to `expect`, shown before the matcher's message. */
  readonly note: string
  readonly own: ReadonlyMap<string, Matcher>
  readonly asserted: () => void
  /** Runs a matcher. If it fails, a soft expectation records the failure, and any other expectation throws. */
  readonly check: Checked
  /** Registers asynchronous work that must finish before the test ends. */
  readonly started: (work: Promise<void>) => void
  /** Continues the expectation with chai, because the test uses a word that only chai has, such as `to`. */
  readonly chained: (word: string, not: boolean) => unknown
}

/** Properties that JavaScript, or code that inspects values, may read from any object. Reading them must not throw. */
const ASKED = new Set<PropertyKey>(['then', 'toJSON', 'constructor', 'asymmetricMatch'])

/** Returns an object with all matchers as properties. Reading a property that is not a matcher throws `Refused`. */
function chainOf(
  own: ReadonlyMap<string, Matcher>,
  words: Readonly<Record<string, () => unknown>>,
  matching: (name: string, matcher: Matcher) => unknown,
  chained: ((word: string) => unknown) | null,
): Chain {
  return new SavedProxy(Object.create(null) as Chain, {
    get(_, key) {
      if (typeof key === 'symbol') return undefined
      const matcher = own.get(key)
      if (matcher !== undefined) return matching(key, matcher)
      const word = words[key]
      if (word !== undefined) return word()
      if (ASKED.has(key)) return undefined
      if (chained === null || !CHAI_WORDS.has(key)) throw new Refused(`expect().${key}`)
      return chained(key)
    },
  })
}

function chain(expectation: Expectation, not: boolean): Chain {
  const { actual, own, asserted, check: checked, chained } = expectation
  const words = {
    not: () => chain(expectation, !not),
    resolves: () => settledChain(expectation, true, not),
    rejects: () => settledChain(expectation, false, not),
  }
  const matching =
    (_: string, matcher: Matcher) =>
    (...args: unknown[]): unknown => {
      asserted()
      return checked(matcher, actual, args, not)
    }
  return chainOf(own, words, matching, (word) => chained(word, not))
}

/** Returns matchers for the value of a fulfilled promise (`kept` is true) or for the reason of a rejected one. */
function settledChain(expectation: Expectation, kept: boolean, not: boolean): Chain {
  const { actual, note, own, asserted, started } = expectation
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
  const matching =
    (name: string, matcher: Matcher) =>
    (...args: unknown[]): Promise<void> => {
      asserted()
      const work = decided(name, matcher, args)
      started(work.catch(() => {}))
      // Return another promise than `work`. `work` has a handler above, so if the test does not await it, Node would
      // not report its failure.
      return awaited(work)
    }
  async function decided(name: string, matcher: Matcher, args: unknown[]): Promise<void> {
    const value = await settle()
    await expectation.check(
      matcher,
      name.startsWith('toThrow') ? thrower(value, kept) : value,
      args,
      not,
    )
  }
  return chainOf(own, { not: () => settledChain(expectation, kept, !not) }, matching, null)
}

/**
 * Turns the outcome of a promise into a function for `toThrow`. If the promise was rejected, the function throws the
 * reason. Otherwise it returns.
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

export interface Expecting {
  /** Called for each assertion, so that assertions can be counted. */
  readonly asserted: () => void
  /** Called before each assertion, to restore built-ins that the solution has changed. */
  readonly before?: () => void
  /** Loads chai, for expectations that use its words. */
  readonly chai?: () => Chai
  readonly currentTestName?: () => string | undefined
}

/** Creates an `expect` with its own custom matchers and its own count of assertions. */
export function makeExpect({ asserted: told, before, chai, currentTestName }: Expecting): {
  expect: Chain
  begin(): void
  end(): Promise<void>
} {
  const own = new Map(Object.entries(matchers))
  const counter: Counter = { count: 0, wanted: null, some: false }
  let started: Promise<void>[] = []
  let soft: unknown[] = []
  const asserted = (): void => {
    before?.()
    counter.count++
    told()
  }
  const noteOf = (message: unknown): string => (typeof message === 'string' ? `${message}: ` : '')
  const begun = (work: Promise<void>): void => void started.push(work)
  const chainedFor =
    (actual: unknown, message: unknown): Expectation['chained'] =>
    (word, not) => {
      asserted()
      if (chai === undefined) throw new Refused(`expect().${word}`)
      const words = chai().expect(actual, message) as Chain
      return not ? (words['not'] as Chain)[word] : words[word]
    }
  const expectation = (actual: unknown, message: unknown): Expectation => ({
    actual,
    note: noteOf(message),
    own,
    asserted,
    check: (matcher, value, args, not) => check(matcher, value, args, not, noteOf(message)),
    started: begun,
    chained: chainedFor(actual, message),
  })
  const expect = (actual: unknown, message?: unknown): Chain => {
    before?.()
    return chain(expectation(actual, message), false)
  }
  const gentle = (actual: unknown, message?: unknown): Chain => {
    const hard = expectation(actual, message)
    return chain(
      {
        ...hard,
        check(...args) {
          try {
            return hard.check(...args)
          } catch (error) {
            soft.push(error)
            return undefined
          }
        },
      },
      false,
    )
  }
  const poll = (
    make: () => unknown,
    { timeout = 1000, interval = 50 }: { timeout?: number; interval?: number } = {},
  ): Chain => {
    const polled = (not: boolean): Chain =>
      chainOf(
        own,
        { not: () => polled(!not) },
        (_, matcher) =>
          (...args: unknown[]) => {
            asserted()
            const look = async (): Promise<void> => {
              await check(matcher, await make(), args, not, '')
            }
            const work = retried(look, timeout, interval) as Promise<void>
            begun(work.catch(() => {}))
            return awaited(work)
          },
        null,
      )
    return polled(false)
  }
  const fail = (message?: unknown): never => {
    asserted()
    throw new AssertionError(typeof message === 'string' ? message : 'should not be reached')
  }
  const functions: Chain = {
    ...asymmetric(false),
    not: asymmetric(true),
    soft: gentle,
    poll,
    fail,
    unreachable: fail,
    assert: (condition: unknown, message?: unknown) => {
      asserted()
      if (!condition) fail(message)
    },
    assertions: (wanted: number) => {
      counter.wanted = wanted
    },
    hasAssertions: () => {
      counter.some = true
    },
    getState: () => ({
      assertionCalls: counter.count,
      expectedAssertionsNumber: counter.wanted,
      isExpectingAssertions: counter.some,
      currentTestName: currentTestName?.(),
    }),
    extend: (given: Readonly<Record<string, CustomMatcher>>) => {
      for (const [name, matcher] of Object.entries(given)) {
        own.set(name, customMatcher(name, matcher))
        functions[name] = customAsymmetric(matcher, false)
        ;(functions['not'] as Chain)[name] = customAsymmetric(matcher, true)
      }
      Object.assign(expect, functions)
    },
  }
  return {
    expect: refusing(Object.assign(expect, functions), 'expect'),
    begin() {
      Object.assign(counter, { count: 0, wanted: null, some: false })
      started = []
      soft = []
    },
    async end() {
      if (started.length > 0) {
        await Promise.all(started)
        // If the test did not await a failed expectation, Node reports an unhandled rejection. Wait until Node has
        // reported it.
        await new Promise((resolve) => void realImmediate(resolve))
      }
      if (soft.length > 0) throw soft[0]
      if (counter.wanted !== null && counter.count !== counter.wanted)
        throw new AssertionError(
          `expected ${counter.wanted} assertions, there were ${counter.count}`,
        )
      if (counter.some && counter.count === 0) throw new AssertionError('there was no assertion')
    },
  }
}

/** Returns `expect.any` and the other asymmetric matchers. With `not`, returns the negated ones of `expect.not`. */
function asymmetric(not: boolean): Record<string, (...args: never[]) => Asymmetric> {
  const make = (matches: (value: unknown) => boolean, name?: string): Asymmetric => ({
    [ASYMMETRIC]: (value) => matches(value) !== not,
    ...(name === undefined ? {} : { [SHOWN_AS]: name }),
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
    arrayOf: (item: unknown) =>
      make((value) => Array.isArray(value) && value.every((one) => equals(one, item))),
    closeTo: (wanted: unknown, digits: unknown = 2): Asymmetric => {
      if (typeof wanted !== 'number' || typeof digits !== 'number')
        throw new TypeError(`${shown(wanted)} is not a number`)
      return {
        [ASYMMETRIC](value) {
          const number = types.isNumberObject(value) ? Number.prototype.valueOf.call(value) : value
          // A value that is not a number does not match, with and without `not`.
          return typeof number === 'number' && isClose(number, wanted, digits) !== not
        },
      }
    },
  }
  if (not) return opposed
  return {
    ...opposed,
    anything: () => make((value) => value !== null && value !== undefined, 'Anything'),
    any: (type: new () => unknown) => {
      if (typeof type !== 'function') throw new TypeError(`${shown(type)} is not a class`)
      return make((value) => isOf(value, type), `Any<${type.name}>`)
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
