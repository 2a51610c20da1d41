/**
 * Describes live objects to the other process. A live object has behavior, so it is not copied. The other process
 * turns the description into a shape (`Shape`), from which it makes a proxy. The description of a class lists its
 * methods. The description of an object lists the methods that it overrides. So the proxy knows which methods exist,
 * and a method call needs one request instead of two.
 */
import { types } from '../builtins.ts'
import type { Guard } from './guard.ts'
import type { Shape } from './proxied.ts'
import type { Side } from './identities.ts'
import type { Shared } from './shared.ts'
import { Violation, type Node, type Wire } from './wire.ts'

const { apply, get, getOwnPropertyDescriptor, getPrototypeOf, has, ownKeys } = Reflect
const { isArray } = Array
const sourceOf: () => string = Reflect.get(Function.prototype, 'toString')

interface Teller {
  readonly side: Side
  readonly guard: Guard
  readonly shared: Shared
}

/** Describes a live object that is not a promise. */
export function describeLive(object: object, teller: Teller): Node {
  const { guard, shared } = teller
  if (typeof object === 'function') return describeFunction(object, teller)
  const prototype = getPrototypeOf(object)
  const chain = guard.tellsPrototype(prototype) ? shared.encodePrototype(prototype) : OBJECT
  const constructor: unknown = getOwnPropertyDescriptor(object, 'constructor')?.value
  if (!isPrototypeOf(object, constructor))
    return ['object', chain, isArray(object), shadowing(object, prototype, shared)]
  const methods: Wire[][] = []
  const others: Wire[] = []
  for (const key of ownKeys(object)) {
    if (key === 'constructor' || !guard.allows('own', object, key)) continue
    const found = getOwnPropertyDescriptor(object, key)
    if (found !== undefined && typeof found.value === 'function')
      methods.push([shared.encode(key), shared.encode(found.value)])
    else others.push(shared.encode(key))
  }
  return ['prototype', chain, methods, others, shared.encode(constructor)]
}

const OBJECT: Wire = ['k', 'Object.prototype']

function describeFunction(object: object, { side, guard, shared }: Teller): Node {
  const { name, length } = object as { name: unknown; length: unknown }
  const own = getOwnPropertyDescriptor(object, 'prototype')?.value as unknown
  const parent = getPrototypeOf(object)
  const makes = typeof own === 'object' && own !== null && !types.isGeneratorFunction(object)
  const isClass = makes && apply(sourceOf, object, []).startsWith('class')
  const hasParent =
    isClass && side === 'solution' && parent !== null && parent !== Function.prototype
  return [
    'function',
    typeof name === 'string' ? name : '',
    typeof length === 'number' ? length : 0,
    makes,
    isClass && guard.tellsPrototype(own) ? shared.encodePrototype(own) : null,
    hasParent ? shared.encode(parent) : null,
  ]
}

/** Returns the object's own properties that hide an inherited property of the same name. */
function shadowing(object: object, prototype: object | null, shared: Shared): Wire[] {
  if (types.isProxy(object) || prototype === null) return []
  return ownKeys(object)
    .filter((key) => has(prototype, key))
    .map((key) => shared.encode(key))
}

const isPrototypeOf = (object: object, constructor: unknown): boolean =>
  typeof constructor === 'function' &&
  getOwnPropertyDescriptor(constructor, 'prototype')?.value === object

/**
 * Turns the description of a live object into a `Shape`, from which a proxy is made. The values in it are decoded only
 * when needed, because objects may refer to each other.
 */
export function shapeOf(node: Node, decode: (wire: unknown) => unknown): Shape {
  const later =
    (wire: unknown): (() => unknown) =>
    () =>
      decode(wire)
  const [kind, first, second, third, fourth, fifth] = node
  const keys = (list: unknown): (() => Set<unknown>) => {
    if (!isArray(list)) throw new Violation('sent no keys')
    return () => new Set(list.map((one: unknown) => decode(one)))
  }
  switch (kind) {
    case 'function':
      return {
        kind,
        name: String(first),
        length: typeof second === 'number' ? second : 0,
        constructs: third === true,
        prototype: isArray(fourth) ? later(fourth) : null,
        parent: isArray(fifth) ? later(fifth) : null,
      }
    case 'prototype': {
      if (!isArray(second)) throw new Violation('sent no methods')
      const methods = second as unknown[][]
      return {
        kind,
        chain: later(first),
        methods: () => new Map(methods.map((one) => [decode(one[0]), decode(one[1])])),
        others: keys(third),
        constructor: later(fourth),
      }
    }
    case 'object':
      return { kind, chain: later(first), array: second === true, shadowing: keys(third) }
    default:
      throw new Violation('sent an object of no kind')
  }
}

/** Converts an object to a primitive as JavaScript does, but calls only methods that the guard allows. */
export function primitiveOf(object: object, hint: unknown, guard: Guard): unknown {
  const method = (key: string | symbol): unknown =>
    guard.allows('get', object, key) ? (get(object, key, object) as unknown) : undefined
  const own = method(Symbol.toPrimitive)
  const order = hint === 'string' ? ['toString', 'valueOf'] : ['valueOf', 'toString']
  const calls: (() => unknown)[] =
    typeof own === 'function'
      ? [() => apply(own, object, [hint])]
      : order
          .map(method)
          .flatMap((one) => (typeof one === 'function' ? [() => apply(one, object, [])] : []))
  for (const call of calls) {
    const value: unknown = call()
    if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return value
  }
  if (calls.length === 0) return '[object Object]'
  throw new TypeError('Cannot convert object to primitive value')
}
