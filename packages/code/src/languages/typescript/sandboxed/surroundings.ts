/**
 * Finds out whether code has changed what all code of a process shares: global variables, built-in objects and the
 * properties of `process`. Assay runs several references (correct solutions of the cases) in one process. If one of
 * them has changed such things, the process is not used again.
 */
const { getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect
const { is } = Object

/**
 * The globals whose values are compared. For all other globals, only the names are compared. Node loads most of them
 * when they are first read, and that takes longer than starting a process.
 */
const COMPARED = [
  ...'Object Function Array String Number Boolean Symbol BigInt Math JSON Reflect Proxy Date RegExp'.split(
    ' ',
  ),
  ...'Map Set WeakMap WeakSet WeakRef Promise Iterator Intl ArrayBuffer DataView'.split(' '),
  ...'Int8Array Uint8Array Int16Array Uint16Array Int32Array Uint32Array Float64Array'.split(' '),
  ...'Error TypeError RangeError SyntaxError ReferenceError AggregateError'.split(' '),
  ...'parseInt parseFloat isNaN isFinite eval structuredClone queueMicrotask'.split(' '),
  ...'setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate'.split(' '),
  ...'console process Buffer'.split(' '),
]

type Property = readonly [key: string | symbol, descriptor: PropertyDescriptor | undefined]

const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'

const valueOf = (one: object, key: string): unknown => getOwnPropertyDescriptor(one, key)?.value

/**
 * Returns the compared globals, their prototypes, and prototypes that no global variable holds. Getters are not
 * called.
 */
function sharedObjects(): object[] {
  const values = COMPARED.map((name) => valueOf(globalThis, name))
  const hidden = [[].values(), new Map().values(), new Set().values(), (function* () {})()]
  return [
    ...values,
    ...values.map((value) => (isObject(value) ? valueOf(value, 'prototype') : null)),
    ...hidden.flatMap((one) => [getPrototypeOf(one), getPrototypeOf(getPrototypeOf(one) ?? {})]),
    getPrototypeOf(Uint8Array),
    process.env,
  ].filter(isObject)
}

const propertiesOf = (one: object, keys: readonly (string | symbol)[] = ownKeys(one)): Property[] =>
  keys.map((key) => [key, getOwnPropertyDescriptor(one, key)])

/** Records the current state. The returned function says whether it is still the same. */
export function rememberSurroundings(): () => boolean {
  const names = ownKeys(globalThis)
  const globals = propertiesOf(globalThis, COMPARED)
  const kept = sharedObjects().map((one) => [one, propertiesOf(one)] as const)
  const listeners = (): number =>
    process.eventNames().reduce((count, name) => count + process.listenerCount(name), 0)
  const listening = listeners()
  return () =>
    listeners() === listening &&
    isSameList(ownKeys(globalThis), names, is) &&
    isSameList(propertiesOf(globalThis, COMPARED), globals, isSame) &&
    kept.every(([one, before]) => isSameList(propertiesOf(one), before, isSame))
}

const isSameList = <T>(
  now: readonly T[],
  before: readonly T[],
  same: (a: T, b: T) => boolean,
): boolean => now.length === before.length && now.every((one, at) => same(one, before[at] as T))

const isSame = ([key, now]: Property, [before, was]: Property): boolean =>
  key === before && is(now?.value, was?.value) && now?.get === was?.get && now?.set === was?.set
