/** Matchers that tests define with `expect.extend`. They may be asynchronous. */
import { ASYMMETRIC, equals, type Asymmetric } from './equal.ts'
import type { Finding, Matcher } from './finding.ts'
import { shown } from './shown.ts'

interface CustomFinding {
  readonly pass: boolean
  readonly message?: (() => string) | string
}

export type CustomMatcher = (
  this: object,
  actual: unknown,
  ...args: unknown[]
) => CustomFinding | Promise<CustomFinding>

/** Returns the `this` that a custom matcher is called with. */
const self = (isNot: boolean): object => ({
  isNot,
  promise: '',
  equals: (a: unknown, b: unknown, _testers?: unknown, strict = false) => equals(a, b, { strict }),
  utils: {
    stringify: shown,
    printReceived: shown,
    printExpected: shown,
    diff: (a: unknown, b: unknown) => `${shown(a)} and ${shown(b)}`,
    matcherHint: (name: string) => `expect(received).${name}(expected)`,
  },
})

const findingOf = (name: string, { pass, message }: CustomFinding): Finding => {
  const text = typeof message === 'function' ? message() : message
  return { pass, wanted: name, message: text ?? name }
}

export function customMatcher(name: string, matcher: CustomMatcher): Matcher {
  const run = (actual: unknown, ...args: unknown[]): Finding | Promise<Finding> => {
    const found = matcher.call(self(false), actual, ...args)
    return found instanceof Promise
      ? found.then((one) => findingOf(name, one))
      : findingOf(name, found)
  }
  return run as unknown as Matcher
}

/**
 * Returns the form of a custom matcher that can be used inside expected values (an asymmetric matcher, as
 * `expect.any`).
 */
export const customAsymmetric =
  (matcher: CustomMatcher, not: boolean) =>
  (...args: unknown[]): Asymmetric => ({
    [ASYMMETRIC](value) {
      const found = matcher.call(self(not), value, ...args)
      if (found instanceof Promise)
        throw new TypeError('an asynchronous matcher cannot be used here')
      return found.pass !== not
    },
  })
