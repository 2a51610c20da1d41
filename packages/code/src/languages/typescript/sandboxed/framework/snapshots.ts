/** Inline snapshots: the expected value is a string in the test. Snapshots in files are not supported. */
import { equals, isAsymmetric } from './equal.ts'
import type { Matcher } from './finding.ts'
import { Refused } from './refused.ts'
import { shown } from './shown.ts'
import { snapshotOf, unindented } from './written.ts'

const inFiles = (name: string) => (): never => {
  throw new Refused(`${name}: a snapshot in a file`)
}

type Finding = ReturnType<Matcher>

function compared(written: readonly string[], text: unknown, name: string): Finding {
  if (typeof text !== 'string') throw new Refused(`${name}() without the text of the snapshot`)
  const wanted = unindented(text)
  return {
    pass: written.some((one) => one.trim() === wanted),
    wanted: `the snapshot ${shown(wanted)}`,
    got: shown(written[0]),
  }
}

function toMatchInlineSnapshot(actual: unknown, ...given: unknown[]): Finding {
  const isPartly = typeof given[0] === 'object' && given[0] !== null
  const text = isPartly ? given[1] : given[0]
  if (!isPartly) return compared([snapshotOf(actual)], text, 'toMatchInlineSnapshot')
  if (!equals(actual, given[0], { partial: true }))
    return { pass: false, wanted: `to match ${shown(given[0])}` }
  return compared([snapshotOf(merged(actual, given[0]))], text, 'toMatchInlineSnapshot')
}

/** Returns a copy of the value in which each property that has an asymmetric matcher is replaced by the matcher. */
function merged(actual: unknown, part: unknown): unknown {
  if (isAsymmetric(part) || typeof part !== 'object' || part === null) return part
  if (typeof actual !== 'object' || actual === null) return actual
  const copy = (Array.isArray(actual) ? [...(actual as unknown[])] : { ...actual }) as Record<
    string,
    unknown
  >
  for (const [key, value] of Object.entries(part)) copy[key] = merged(copy[key], value)
  return copy
}

function toThrowErrorMatchingInlineSnapshot(actual: unknown, ...[text]: unknown[]): Finding {
  if (typeof actual !== 'function') throw new TypeError(`${shown(actual)} is not a function`)
  let thrown: unknown
  try {
    ;(actual as () => unknown)()
    return { pass: false, wanted: 'to throw', got: 'no error' }
  } catch (error) {
    thrown = error
  }
  // Vitest writes the error into the snapshot, and jest only its message. Accept both.
  const message: unknown = thrown instanceof Error ? thrown.message : thrown
  const written = [snapshotOf(thrown), snapshotOf(message)]
  return compared(written, text, 'toThrowErrorMatchingInlineSnapshot')
}

export const snapshotMatchers: Readonly<Record<string, Matcher>> = {
  toMatchInlineSnapshot,
  toThrowErrorMatchingInlineSnapshot,
  ...Object.fromEntries(
    ['toMatchSnapshot', 'toMatchFileSnapshot', 'toThrowErrorMatchingSnapshot'].map((name) => [
      name,
      inFiles(name),
    ]),
  ),
}
