/**
 * The console that tests see. `console.assert` asserts: a false condition throws. It is reported as a failure even if
 * the exception is caught, because with Node's `console.assert` the code would continue and only print.
 */
import { AssertionError } from './expect.ts'
import { shown } from './shown.ts'

export interface Asserting {
  /** Called for each assertion. */
  asserted(): void
  /** Called if an assertion fails. Returns whether it should throw. */
  failed(message: string): boolean
}

type Method = (...args: unknown[]) => unknown

/** `console.assert` for tests. */
export const assertingWith =
  (told: Asserting): Method =>
  (condition, ...rest) => {
    told.asserted()
    if (condition) return
    const message = `console.assert: ${rest.length === 0 ? 'the condition is false' : formatted(rest)}`
    if (told.failed(message)) throw new AssertionError(message)
  }

/**
 * Returns the console for tests: one that prints nothing or, if `own` is given, that console with our `assert`. If a
 * test replaces `assert`, only these tests see it.
 */
export function consoleForTests(own: Console | null, check: Method): object {
  const silent = Object.fromEntries(Object.keys(console).map((name) => [name, () => {}]))
  if (own === null) return Object.assign(silent, { assert: check })
  // Tests in the solution's process may check what it prints, so everything but `assert` is the real console.
  let assert: unknown = check
  return new Proxy(own, {
    get: (target, key) => (key === 'assert' ? assert : (Reflect.get(target, key) as unknown)),
    set: (target, key, value) => {
      if (key !== 'assert') return Reflect.set(target, key, value)
      assert = value
      return true
    },
  })
}

/** Formats like `console.log`, in one line. */
function formatted([first, ...rest]: readonly unknown[]): string {
  const left = [...rest]
  const text =
    typeof first === 'string'
      ? first.replaceAll(/%[sdifjoOc%]/g, (mark) => {
          if (mark === '%%') return '%'
          if (left.length === 0) return mark
          const value = left.shift()
          return mark === '%c'
            ? ''
            : mark === '%s' && typeof value === 'string'
              ? value
              : shown(value)
        })
      : shown(first)
  return [text, ...left.map((one) => (typeof one === 'string' ? one : shown(one)))].join(' ')
}
