/**
 * Controls what the other process may do with objects of this process. The solution's process allows everything. In
 * the tester, the solution may only call functions that it was given, and use properties that a test's objects have
 * themselves or inherit from a test's classes. It cannot access properties of JavaScript's built-ins. Otherwise it
 * could get the constructor of a function (`Function`) and run any code in the tester.
 */
import { types } from '../builtins.ts'
import type { Side } from './identities.ts'
import { bytesNames, intrinsics, type Operation } from './wire.ts'

const { getOwnPropertyDescriptor, getPrototypeOf } = Reflect

export interface Guard {
  allows(operation: Operation, object: object, key: string | symbol): boolean
  /** True if the prototype may be sent to the other process, which needs it for `instanceof`. */
  tellsPrototype(prototype: unknown): prototype is object | null
}

const NEVER: ReadonlySet<string | symbol> = new Set<string | symbol>([
  'constructor',
  'prototype',
  '__proto__',
  'caller',
  'callee',
  'arguments',
  '__defineGetter__',
  '__defineSetter__',
  '__lookupGetter__',
  '__lookupSetter__',
])

/** JavaScript's built-in prototypes, saved before any test runs. */
const BUILT_IN = new Set<object>([
  ...[...intrinsics].filter(([name]) => name.endsWith('.prototype')).map(([, object]) => object),
  ...bytesNames.keys(),
])

/**
 * True for prototypes of built-in classes. Node's classes are checked by name, when an object of such a class first
 * appears. A complete list of them would have to load modules that most tests never use, which takes a tenth of a
 * second.
 */
function isBuiltIn(prototype: object): boolean {
  if (BUILT_IN.has(prototype)) return true
  const made: unknown = getOwnPropertyDescriptor(prototype, 'constructor')?.value
  if (typeof made !== 'function') return false
  const name: unknown = getOwnPropertyDescriptor(made, 'name')?.value
  if (typeof name !== 'string' || !(name in globalThis)) return false
  if (getOwnPropertyDescriptor(globalThis, name)?.value !== made) return false
  BUILT_IN.add(prototype)
  return true
}

const open: Guard = {
  allows: () => true,
  tellsPrototype: (prototype): prototype is object | null => prototype !== undefined,
}

const careful: Guard = {
  allows(operation, object, key) {
    if (typeof object === 'function' || types.isProxy(object) || NEVER.has(key)) return false
    if (operation === 'set') {
      // An existing property may be set only if the test's object or its class defines it, not a built-in. A new
      // property is added to the object itself, which is allowed.
      for (let at: object | null = object; at !== null; at = getPrototypeOf(at))
        if (getOwnPropertyDescriptor(at, key) !== undefined) return !isBuiltIn(at)
      return true
    }
    for (let at: object | null = object; at !== null; at = getPrototypeOf(at))
      if (getOwnPropertyDescriptor(at, key) !== undefined) return !isBuiltIn(at) || isIteration(key)
    return false
  },
  tellsPrototype: (prototype): prototype is object | null =>
    prototype === null || (typeof prototype === 'object' && !types.isProxy(prototype)),
}

const isIteration = (key: string | symbol): boolean =>
  key === Symbol.iterator ||
  key === Symbol.asyncIterator ||
  key === 'next' ||
  key === 'return' ||
  key === 'then' ||
  key === 'aborted' ||
  key === 'addEventListener' ||
  key === 'removeEventListener'

export const guarded = (side: Side): Guard => (side === 'solution' ? open : careful)
