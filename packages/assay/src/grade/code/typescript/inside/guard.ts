/**
 * What the other side may do with objects of this one. The sample's side has nothing to guard. The judge
 * lets the sample call the functions that it was given and use the properties that a test's objects have
 * of their own or from a test's classes, and nothing that is JavaScript's: from a function to its
 * constructor it would be one step to running code in the judge.
 */
import { types } from 'node:util'
import type { Side } from './identities.ts'
import type { Operation } from './wire.ts'

const { getOwnPropertyDescriptor, getPrototypeOf } = Reflect

export interface Guard {
  allows(operation: Operation, object: object, key: string | symbol): boolean
  /** Whether the other side may know this prototype, to tell instances by it. */
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

/** Prototypes that JavaScript itself brings. Taken before any test runs, and by the judge alone. */
const BUILT_IN = new Set<object>([Object.prototype, Function.prototype])

function learnBuiltIns(): void {
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    const value: unknown = getOwnPropertyDescriptor(globalThis, name)?.value
    if (typeof value !== 'function') continue
    const prototype: unknown = getOwnPropertyDescriptor(value, 'prototype')?.value
    if (typeof prototype === 'object' && prototype !== null) BUILT_IN.add(prototype)
  }
}

const open: Guard = {
  allows: () => true,
  tellsPrototype: (prototype): prototype is object | null => prototype !== undefined,
}

const careful: Guard = {
  allows(operation, object, key) {
    if (typeof object === 'function' || types.isProxy(object) || NEVER.has(key)) return false
    if (operation === 'set') {
      // What is there already belongs to the test's object or its class; a new one becomes its own.
      for (let at: object | null = object; at !== null; at = getPrototypeOf(at))
        if (getOwnPropertyDescriptor(at, key) !== undefined) return !BUILT_IN.has(at)
      return true
    }
    for (let at: object | null = object; at !== null; at = getPrototypeOf(at))
      if (getOwnPropertyDescriptor(at, key) !== undefined)
        return !BUILT_IN.has(at) || isIteration(key)
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

export function guarded(side: Side): Guard {
  if (side === 'sample') return open
  if (BUILT_IN.size === 2) learnBuiltIns()
  return careful
}
