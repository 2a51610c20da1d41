/**
 * Equality as `expect` means it. Loose (`toEqual`): properties that are undefined do not count, nor do
 * classes. Strict (`toStrictEqual`): both do, and so do holes in arrays. Matchers that match more than
 * one value (`expect.any(Number)`) may stand anywhere on the expected side.
 */

import { types } from 'node:util'

export interface Asymmetric {
  readonly [ASYMMETRIC]: (value: unknown) => boolean
}

export const ASYMMETRIC = Symbol('matches')

export interface Equality {
  readonly strict?: boolean
  /** Expected objects may have fewer properties. */
  readonly partial?: boolean
  /** Numbers may differ by this much. */
  readonly tolerance?: number
}

export function equals(actual: unknown, expected: unknown, how: Equality = {}): boolean {
  return same(actual, expected, how, [])
}

export const isAsymmetric = (value: unknown): value is Asymmetric =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, ASYMMETRIC)

type Pairs = (readonly [unknown, unknown])[]

function same(a: unknown, b: unknown, how: Equality, above: Pairs): boolean {
  if (isAsymmetric(b)) return b[ASYMMETRIC](a)
  if (typeof a === 'number' && typeof b === 'number') {
    if (how.tolerance !== undefined)
      return a === b || Math.abs(a - b) <= how.tolerance || (Number.isNaN(a) && Number.isNaN(b))
    return Object.is(a, b)
  }
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (above.some(([one, other]) => one === a && other === b)) return true
  const inner = [...above, [a, b] as const]
  if (Array.isArray(a) !== Array.isArray(b)) return false
  if (how.strict === true && Reflect.getPrototypeOf(a) !== Reflect.getPrototypeOf(b)) return false
  if (a instanceof Date || b instanceof Date)
    return a instanceof Date && b instanceof Date && Object.is(a.getTime(), b.getTime())
  if (a instanceof RegExp || b instanceof RegExp)
    return a instanceof RegExp && b instanceof RegExp && String(a) === String(b)
  if (a instanceof Error || b instanceof Error)
    return a instanceof Error && b instanceof Error && a.message === b.message && a.name === b.name
  if (a instanceof Map || b instanceof Map)
    return a instanceof Map && b instanceof Map && sameMaps(a, b, how, inner)
  if (a instanceof Set || b instanceof Set)
    return a instanceof Set && b instanceof Set && sameSets(a, b, how, inner)
  if (a instanceof Promise || b instanceof Promise) return false
  if (isBoxed(a) || isBoxed(b))
    return isBoxed(a) && isBoxed(b) && Object.is(a.valueOf(), b.valueOf())
  if (ArrayBuffer.isView(a) || ArrayBuffer.isView(b)) return sameBytes(a, b)
  if (Array.isArray(a) && Array.isArray(b)) return sameArrays(a, b, how, inner)
  return sameObjects(a, b, how, inner)
}

const isBoxed = (value: object): boolean => types.isBoxedPrimitive(value)

function sameBytes(a: object, b: object): boolean {
  if (!ArrayBuffer.isView(a) || !ArrayBuffer.isView(b)) return false
  if (Reflect.getPrototypeOf(a) !== Reflect.getPrototypeOf(b)) return false
  const one = new Uint8Array(a.buffer, a.byteOffset, a.byteLength)
  const other = new Uint8Array(b.buffer, b.byteOffset, b.byteLength)
  return one.length === other.length && one.every((byte, index) => byte === other[index])
}

function sameArrays(a: unknown[], b: unknown[], how: Equality, above: Pairs): boolean {
  if (a.length !== b.length) return false
  for (let index = 0; index < b.length; index++) {
    if (how.strict === true && index in a !== index in b) return false
    if (!same(a[index], b[index], how, above)) return false
  }
  return true
}

function sameMaps(
  a: Map<unknown, unknown>,
  b: Map<unknown, unknown>,
  how: Equality,
  above: Pairs,
): boolean {
  if (a.size !== b.size) return false
  for (const [key, value] of b) {
    if (a.has(key) && same(a.get(key), value, how, above)) continue
    if (typeof key !== 'object' || key === null) return false
    if (![...a].some(([k, v]) => same(k, key, how, above) && same(v, value, how, above)))
      return false
  }
  return true
}

function sameSets(a: Set<unknown>, b: Set<unknown>, how: Equality, above: Pairs): boolean {
  if (a.size !== b.size) return false
  for (const item of b) {
    if (a.has(item)) continue
    if (typeof item !== 'object' || item === null) return false
    if (![...a].some((one) => same(one, item, how, above))) return false
  }
  return true
}

function sameObjects(a: object, b: object, how: Equality, above: Pairs): boolean {
  const one = a as Record<string | symbol, unknown>
  const other = b as Record<string | symbol, unknown>
  const keys = (of: object): (string | symbol)[] =>
    Reflect.ownKeys(of).filter(
      (key) => Reflect.getOwnPropertyDescriptor(of, key)?.enumerable === true,
    )
  const mine = keys(a)
  const theirs = keys(b)
  const has = new Set(mine)
  for (const key of theirs) {
    if (!has.has(key) && !(how.partial === true && key in a)) {
      if (how.strict === true || how.partial === true || other[key] !== undefined) return false
      continue
    }
    if (!same(one[key], other[key], how, above)) return false
  }
  if (how.partial === true) return true
  const wanted = new Set(theirs)
  return mine.every((key) => wanted.has(key) || (how.strict !== true && one[key] === undefined))
}
