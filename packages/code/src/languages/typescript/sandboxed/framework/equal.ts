/**
 * Equality as in vitest's `expect`.
 * - Loose (`toEqual`): undefined properties and classes are ignored.
 * - Strict (`toStrictEqual`): undefined properties, classes and holes in arrays count.
 * - Partial (`toMatchObject`): expected objects may have fewer properties.
 *
 * Asymmetric matchers (`expect.any(Number)`) may be anywhere in the expected value. docs/guides/code.md lists the
 * cases in which this is stricter than vitest, and `same-as-vitest.test.ts` checks that list.
 */

import { types } from '../builtins.ts'

/** Functions saved before a solution in the same process can replace them. */
const { getOwnPropertySymbols, hasOwn, is, keys } = Object

export interface Asymmetric {
  readonly [ASYMMETRIC]: (value: unknown) => boolean
}

export const ASYMMETRIC = Symbol('matches')

export interface Equality {
  readonly strict?: boolean
  /** Whether an expected object may have fewer properties than the actual one. */
  readonly partial?: boolean
  /** The largest allowed difference between two numbers. */
  readonly tolerance?: number
}

/** The rules of one comparison. `equals` derives them from `Equality`. */
interface Rules {
  readonly classes: boolean
  /** Whether an undefined property differs from a missing one. */
  readonly undefinedCounts: boolean
  readonly partial: boolean
  readonly tolerance: number | undefined
}

export function equals(
  actual: unknown,
  expected: unknown,
  { strict = false, partial = false, tolerance }: Equality = {},
): boolean {
  return same(
    actual,
    expected,
    { classes: strict, undefinedCounts: strict, partial, tolerance },
    [],
  )
}

/**
 * Thrown if two values have no content that could be compared, as with promises. They are then neither equal nor
 * different, so the test fails with and without `not`.
 */
export class NotComparable extends TypeError {
  override readonly name = 'NotComparable'
}

export const isAsymmetric = (value: unknown): value is Asymmetric =>
  typeof value === 'object' && value !== null && hasOwn(value, ASYMMETRIC)

type Pairs = readonly (readonly [object, object])[]

function same(a: unknown, b: unknown, how: Rules, above: Pairs): boolean {
  if (isAsymmetric(b)) return b[ASYMMETRIC](a)
  if (typeof a === 'number' && typeof b === 'number') {
    if (how.tolerance === undefined) return is(a, b)
    return a === b || Math.abs(a - b) <= how.tolerance || (Number.isNaN(a) && Number.isNaN(b))
  }
  if (is(a, b)) return true
  if (typeof b !== 'object' || b === null) return false
  if (typeof a !== 'object' || a === null) {
    if (how.partial && isKeyed(b) && expectedKeys(b, how).length === 0)
      throw new NotComparable(
        'an object without properties says nothing about a value that is not an object',
      )
    return false
  }
  for (const [one, other] of above)
    if (one === a) return other === b
    else if (other === b) return false
  const inner = [...above, [a, b] as const]
  return (
    sameIterables(a, b, how, inner) ??
    ((!how.classes || constructorOf(a) === constructorOf(b)) &&
      (how.partial && isKeyed(b) ? hasAll(a, b, how, inner) : sameContent(a, b, how, inner)))
  )
}

/**
 * Returns the class of an object from its prototypes. The object's own property `constructor` is ignored, because a
 * solution can set it.
 */
function constructorOf(value: object): unknown {
  for (let at = Reflect.getPrototypeOf(value); at !== null; at = Reflect.getPrototypeOf(at)) {
    const found = Reflect.getOwnPropertyDescriptor(at, 'constructor')
    if (found !== undefined) return found.value
  }
  return undefined
}

/** True for an object of which `toMatchObject` compares only the properties that the expected object has. */
const isKeyed = (value: object): boolean =>
  !Array.isArray(value) && !(value instanceof Error) && !hasOwnContent(value)

/** True for built-in objects whose content is not in their properties, such as dates. */
const hasOwnContent = (value: object): boolean =>
  types.isDate(value) ||
  types.isRegExp(value) ||
  types.isMap(value) ||
  types.isSet(value) ||
  types.isBoxedPrimitive(value) ||
  types.isAnyArrayBuffer(value) ||
  ArrayBuffer.isView(value) ||
  value instanceof URL

const tagOf = (value: object): string => Object.prototype.toString.call(value)

function sameContent(a: object, b: object, how: Rules, above: Pairs): boolean {
  if (types.isPromise(a) && types.isPromise(b))
    throw new NotComparable('promises cannot be compared: wait for them')
  if (tagOf(a) !== tagOf(b)) return false
  if (types.isDate(a) || types.isDate(b))
    return types.isDate(a) && types.isDate(b) && is(a.getTime(), b.getTime())
  if (types.isRegExp(a) || types.isRegExp(b))
    return types.isRegExp(a) && types.isRegExp(b) && String(a) === String(b)
  if (a instanceof URL || b instanceof URL)
    return a instanceof URL && b instanceof URL && a.href === b.href
  if (types.isBoxedPrimitive(a) || types.isBoxedPrimitive(b))
    return types.isBoxedPrimitive(a) && types.isBoxedPrimitive(b) && is(a.valueOf(), b.valueOf())
  if (isBytes(a) || isBytes(b)) return isBytes(a) && isBytes(b) && sameBytes(a, b)
  if (a instanceof Error || b instanceof Error)
    return a instanceof Error && b instanceof Error && sameErrors(a, b, how, above)
  if (Array.isArray(a) && Array.isArray(b)) return sameArrays(a, b, how, above)
  return sameProperties(a, b, how, above)
}

const isBytes = (value: object): value is ArrayBuffer | DataView =>
  types.isAnyArrayBuffer(value) || types.isDataView(value)

function sameBytes(a: ArrayBuffer | DataView, b: ArrayBuffer | DataView): boolean {
  const bytes = (of: ArrayBuffer | DataView): Uint8Array =>
    types.isDataView(of)
      ? new Uint8Array(of.buffer, of.byteOffset, of.byteLength)
      : new Uint8Array(of)
  return Buffer.compare(bytes(a), bytes(b)) === 0
}

function sameErrors(a: Error, b: Error, how: Rules, above: Pairs): boolean {
  if (a.name !== b.name || a.message !== b.message) return false
  if (b.cause !== undefined && !same(a.cause, b.cause, how, above)) return false
  if (a instanceof AggregateError && b instanceof AggregateError)
    if (!same(a.errors, b.errors, how, above)) return false
  return sameProperties(a, b, how, above)
}

function sameArrays(
  a: readonly unknown[],
  b: readonly unknown[],
  how: Rules,
  above: Pairs,
): boolean {
  if (a.length !== b.length) return false
  for (let index = 0; index < b.length; index++) {
    const [one, other] = [a[index], b[index]]
    if (how.undefinedCounts && index in a !== index in b) return false
    // If undefined entries count as missing, do not pass an undefined entry to an asymmetric matcher. The matcher
    // might accept it.
    if (!how.undefinedCounts && (one === undefined) !== (other === undefined)) return false
    if (!same(one, other, how, above)) return false
  }
  const [mine, theirs] = [keysOf(a, how), keysOf(b, how)]
  return mine.length === theirs.length && sameKeys(a, b, mine.filter(isName), how, above)
}

const isName = (key: string | symbol): boolean => typeof key === 'symbol' || !/^\d+$/.test(key)

function sameProperties(a: object, b: object, how: Rules, above: Pairs): boolean {
  const mine = keysOf(a, how)
  return mine.length === keysOf(b, how).length && sameKeys(a, b, mine, how, above)
}

function sameKeys(
  a: object,
  b: object,
  names: readonly (string | symbol)[],
  how: Rules,
  above: Pairs,
): boolean {
  for (const key of names)
    if (!hasKey(b, key, how) || !same(valueOf(a, key), valueOf(b, key), how, above)) return false
  return true
}

/** True if the actual object has all properties of the expected one, with equal values. They may be inherited. */
function hasAll(a: object, b: object, how: Rules, above: Pairs): boolean {
  for (const key of expectedKeys(b, how))
    if (!(key in a) || !same(valueOf(a, key), valueOf(b, key), how, above)) return false
  return true
}

const expectedKeys = (b: object, how: Rules): (string | symbol)[] =>
  keysOf(b, { ...how, undefinedCounts: true })

const valueOf = (object: object, key: string | symbol): unknown =>
  (object as Record<string | symbol, unknown>)[key]

const hasKey = (object: object, key: string | symbol, { undefinedCounts }: Rules): boolean =>
  hasOwn(object, key) && (undefinedCounts || valueOf(object, key) !== undefined)

/** Returns the keys of the properties that are compared. */
function keysOf(object: object, how: Rules): (string | symbol)[] {
  const named: (string | symbol)[] = keys(object)
  const counting = how.undefinedCounts
    ? named
    : named.filter((key) => valueOf(object, key) !== undefined)
  const symbols = getOwnPropertySymbols(object)
  return symbols.length === 0
    ? counting
    : [
        ...counting,
        ...symbols.filter((key) => Object.prototype.propertyIsEnumerable.call(object, key)),
      ]
}

/** Compares two iterables by their items. Returns null if the two values are not compared in this way. */
function sameIterables(a: object, b: object, how: Rules, above: Pairs): boolean | null {
  if (Array.isArray(a) || Array.isArray(b) || !isIterable(a) || !isIterable(b)) return null
  if (constructorOf(a) !== constructorOf(b)) return false
  // As in vitest, undefined properties of the items are ignored, even in a strict comparison.
  const inside = { ...how, undefinedCounts: false }
  if (types.isMap(a) || types.isMap(b))
    return types.isMap(a) && types.isMap(b) && sameMaps(a, b, inside, above)
  if (types.isSet(a) || types.isSet(b))
    return types.isSet(a) && types.isSet(b) && sameSets(a, b, inside, above)
  const other = b[Symbol.iterator]()
  for (const item of a) {
    const next = other.next()
    if (next.done === true || !same(item, next.value, inside, above)) return false
  }
  if (other.next().done !== true) return false
  return same(Object.entries(a), Object.entries(b), inside, above)
}

const isIterable = (value: object): value is Iterable<unknown> =>
  typeof valueOf(value, Symbol.iterator) === 'function'

function sameMaps(
  a: ReadonlyMap<unknown, unknown>,
  b: ReadonlyMap<unknown, unknown>,
  how: Rules,
  above: Pairs,
): boolean {
  if (a.size !== b.size) return false
  const isIn = (
    [key, value]: readonly [unknown, unknown],
    list: ReadonlyMap<unknown, unknown>,
    alike: (one: unknown, other: unknown) => boolean,
  ): boolean => {
    if (list.has(key) && alike(value, list.get(key))) return true
    for (const [k, v] of list) if (alike(key, k) && alike(value, v)) return true
    return false
  }
  const alike = (mine: unknown, theirs: unknown): boolean => same(mine, theirs, how, above)
  for (const entry of a) if (!isIn(entry, b, alike)) return false
  for (const entry of b) if (!isIn(entry, a, (theirs, mine) => alike(mine, theirs))) return false
  return true
}

function sameSets(
  a: ReadonlySet<unknown>,
  b: ReadonlySet<unknown>,
  how: Rules,
  above: Pairs,
): boolean {
  if (a.size !== b.size) return false
  const isIn = (
    one: unknown,
    list: ReadonlySet<unknown>,
    alike: (one: unknown, other: unknown) => boolean,
  ): boolean => {
    if (list.has(one)) return true
    for (const other of list) if (alike(one, other)) return true
    return false
  }
  const alike = (mine: unknown, theirs: unknown): boolean => same(mine, theirs, how, above)
  for (const item of a) if (!isIn(item, b, alike)) return false
  for (const item of b) if (!isIn(item, a, (theirs, mine) => alike(mine, theirs))) return false
  return true
}
