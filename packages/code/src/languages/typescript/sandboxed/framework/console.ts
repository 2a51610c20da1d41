/**
 * The console that tests see. `console.assert` asserts: a condition that does not hold throws, and is told as
 * a failure even where the throw is caught on its way, as Node goes on after it and only prints.
 */
import { AssertionError } from './expect.ts'
import { shown } from './shown.ts'

export interface Asserting {
  /** An assertion is made. */
  asserted(): void
  /** It does not hold; whether it shall throw. */
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

/** Of this console, or of none: then nothing is printed. What a test replaces is replaced for it alone. */
export function consoleForTests(own: Console | null, check: Method): object {
  const silent = Object.fromEntries(Object.keys(console).map((name) => [name, () => {}]))
  if (own === null) return Object.assign(silent, { assert: check })
  // The tests of a process may listen to what its sample prints: all but `assert` is the process's own.
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

/** As `console.log` would print it, in one line. */
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
