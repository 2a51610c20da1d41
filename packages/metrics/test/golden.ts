/** Golden vectors: answers computed by an independent oracle, kept as JSON beside the script that made them. */
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'

interface Golden<V> {
  /** The program and version that computed the answers. */
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

/** Relative closeness; exact at 0 and at infinities, where a relative error means nothing. */
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
