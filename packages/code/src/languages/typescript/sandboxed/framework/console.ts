/**
 * The console that tests see. In Node, `console.assert` only prints a message if its condition is false. Here it
 * throws, so that the test fails. The test fails even if its own `try` catches the exception: the author wrote the
 * `try` for another reason, because in Node `console.assert` does not throw.
 */
import { AssertionError } from './expect.ts'
import { shown } from './shown.ts'

export interface Asserting {
  /** Called for each assertion. */
  asserted(): void
  /** Called if an assertion fails. Returns whether `console.assert` should throw. */
  failed(message: string): boolean
}

type Method = (...args: unknown[]) => unknown

/** Returns the `console.assert` for tests. */
export const assertingWith =
  (told: Asserting): Method =>
  (condition, ...rest) => {
    told.asserted()
    if (condition) return
    const message = `console.assert: ${rest.length === 0 ? 'the condition is false' : formatted(rest)}`
    if (told.failed(message)) throw new AssertionError(message)
  }

/**
 * Returns the console for tests. If `own` is null, the console prints nothing. Otherwise it is `own`, but with the
 * `assert` of this file. If a test replaces `assert`, only the tests see the replacement, not the solution.
 */
export function consoleForTests(own: Console | null, check: Method): object {
  const silent = Object.fromEntries(Object.keys(console).map((name) => [name, () => {}]))
  if (own === null) return Object.assign(silent, { assert: check })
  // In the solution's process, tests may check what the solution prints. So they get the real console, except for
  // `assert`.
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

/** Formats the arguments like `console.log`, in one line. */
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
