/**
 * Copies of `node:assert` that call a function before each assertion, for example to restore built-ins that the
 * solution has changed.
 */

const NAMES = ['assert', 'node:assert', 'assert/strict', 'node:assert/strict']

type Assert = Record<string, unknown> & ((...args: unknown[]) => unknown)

/** Returns the copies, by the module names under which tests import them. */
export function assertsWith(before: () => void): ReadonlyMap<string, object> {
  return new Map(NAMES.map((name) => [name, copyOf(name, before)]))
}

function copyOf(name: string, before: () => void): object {
  const real = process.getBuiltinModule(name) as unknown as Assert
  const guarded =
    (one: (...args: unknown[]) => unknown) =>
    (...args: unknown[]): unknown => {
      before()
      return one(...args)
    }
  const copy = guarded(real) as Assert
  for (const key of Object.keys(real)) {
    const value = real[key]
    if (typeof value !== 'function' || key === 'AssertionError') copy[key] = value
    else if (key !== 'strict') copy[key] = guarded(value as (...args: unknown[]) => unknown)
  }
  if ('strict' in real)
    copy['strict'] = name.endsWith('/strict') ? copy : copyOf('node:assert/strict', before)
  return copy
}
