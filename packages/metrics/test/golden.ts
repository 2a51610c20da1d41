/**
 * Reads golden vectors: results that an independent oracle computed. They are kept as JSON next to the script that
 * made them.
 */
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'

interface Golden<V> {
  /** The program and version that computed the results. */
  readonly oracle: string
  /** The script under `oracle/` that wrote the file. */
  readonly script: string
  readonly vectors: readonly V[]
}

export function golden<V>(name: string): readonly V[] {
  const file = new URL(`../golden/${name}.json`, import.meta.url)
  const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as Golden<V>
  expect(vectors.length, `${name} has no vectors`).toBeGreaterThan(0)
  return vectors
}

/**
 * Compares by relative error. At 0 and at infinity the values must be equal, because a relative error means nothing
 * there.
 */
export function expectClose(
  actual: number,
  expected: number,
  relative: number,
  message: string = '',
): void {
  const at = `${message} ${actual} should be ${expected} to ${relative}`
  expect(actual, at).not.toBeNaN()
  if (expected === 0 || !Number.isFinite(expected)) expect(actual, at).toBe(expected)
  else expect(Math.abs(actual - expected) / Math.abs(expected), at).toBeLessThanOrEqual(relative)
}
