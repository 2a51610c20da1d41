/**
 * Decodes values that the other process sent. Whatever the other process claims about an object, it is created here
 * from built-in classes of this process. A malformed message throws a `Violation`.
 */
import { types } from '../builtins.ts'
import type { Identities } from './identities.ts'
import { COPIED, fillBytes, lengthOf, pairs, shell } from './plain-data.ts'
import { intrinsics, MOST_OBJECTS, Violation, wellKnownByName, type Node } from './wire.ts'

const { apply, defineProperty, ownKeys } = Reflect
const { isFrozen, freeze, setPrototypeOf } = Object
const { isArray } = Array

type Method = (...args: unknown[]) => unknown

const mapSet = Reflect.get(Map.prototype, 'set') as Method
const mapClear: Method = Reflect.get(Map.prototype, 'clear')
const setAdd = Reflect.get(Set.prototype, 'add') as Method
const setClear: Method = Reflect.get(Set.prototype, 'clear')
const setTime = Reflect.get(Date.prototype, 'setTime') as Method

/**
 * A node (the description of an object) may be wrapped in `frozen` (the object is frozen) or `fresh` (the object is
 * not watched for changes). Returns the node without the wrapper.
 */
const unwrapped = (node: Node): Node =>
  node[0] === 'frozen' || node[0] === 'fresh' ? (node[1] as Node) : node

export class Incoming {
  readonly #known: Identities
  readonly #makeLive: (id: number, node: Node) => object

  constructor(known: Identities, makeLive: (id: number, node: Node) => object) {
    this.#known = known
    this.#makeLive = makeLive
  }

  /** Reads the list of objects in a message. Must be called before the values of the message are decoded. */
  receive(nodes: unknown): void {
    if (!isArray(nodes) || nodes.length > MOST_OBJECTS)
      throw new Violation('sent no list of objects')
    if (nodes.length === 0) return
    const fills: [object, Node, number][] = []
    for (const entry of nodes as unknown[]) {
      if (!isArray(entry)) throw new Violation('sent no object')
      const [id, wrapped] = entry as unknown[]
      if (typeof id !== 'number' || !isArray(wrapped)) throw new Violation('sent no object')
      const node = unwrapped(wrapped as unknown as Node)
      if (!isArray(node) || typeof node[0] !== 'string') throw new Violation('sent no object')
      if (!this.#known.has(id)) {
        if (this.#known.isOwn(id)) throw new Violation('made up an object of the other side')
        this.#known.set(id, shell(node) ?? this.#makeLive(id, node))
      } else if (!COPIED.has(node[0])) throw new Violation('changed the kind of an object')
      fills.push([this.#known.byId(id) as object, wrapped as unknown as Node, id])
    }
    for (const [object, wrapped, id] of fills) {
      const node = unwrapped(wrapped)
      if (!COPIED.has(node[0])) continue
      const parts = this.#fill(object, node)
      if (wrapped[0] === 'frozen') freeze(object)
      if (node[0] === 'error' || wrapped[0] === 'fresh') continue
      this.#known.watch(id, wrapped, parts)
    }
  }

  decode(wire: unknown): unknown {
    if (!isArray(wire)) {
      if (typeof wire === 'object' && wire !== null) throw new Violation('sent no value')
      return wire
    }
    const [mark, first, second] = wire as unknown[]
    switch (mark) {
      case 'o':
        return this.#known.byId(first)
      case 'u':
        return undefined
      case 'n':
        return Number(first)
      case 'b':
        if (typeof first !== 'string' || !/^-?\d{1,1000000}$/.test(first))
          throw new Violation('sent no integer')
        return BigInt(first)
      case 'k':
        return intrinsics.get(String(first)) ?? Object.prototype
      case 'w':
        return wellKnownByName.get(String(first)) ?? Symbol.for(String(first))
      case 'r':
        return Symbol.for(String(first))
      case 's':
        return this.#decodeSymbol(first, second)
      default:
        throw new Violation('sent no value')
    }
  }

  #decodeSymbol(id: unknown, description: unknown): unknown {
    if (typeof id !== 'number') throw new Violation('sent no symbol')
    if (this.#known.has(id)) {
      const known = this.#known.byId(id)
      if (typeof known !== 'symbol') throw new Violation('sent no symbol')
      return known
    }
    if (this.#known.isOwn(id)) throw new Violation('made up a symbol of the other side')
    const symbol = Symbol(String(description))
    this.#known.set(id, symbol)
    return symbol
  }

  /** Fills an object with the content of its node (its description). Returns the number of elements and properties. */
  #fill(object: object, node: Node): number {
    const [kind, first, second, third, fourth] = node
    if (isFrozen(object) && kind !== 'error') return 1
    const check = (right: boolean): void => {
      if (!right) throw new Violation('changed the kind of an object')
    }
    switch (kind) {
      case 'array': {
        check(isArray(object) && isArray(first))
        const items = (first as unknown[]).map((item) => this.decode(item))
        const array = object as unknown[]
        array.length = 0
        for (const item of items) array.push(item)
        return items.length + 1
      }
      case 'sparse':
        check(isArray(object) && typeof second === 'object')
        ;(object as unknown[]).length = 0
        ;(object as unknown[]).length = lengthOf(first)
        return this.#define(object, second)
      case 'plain':
      case 'bare':
        check(!isArray(object) && !types.isMap(object) && !types.isSet(object))
        for (const key of ownKeys(object)) Reflect.deleteProperty(object, key)
        return this.#define(object, first)
      case 'map': {
        check(types.isMap(object))
        apply(mapClear, object, [])
        const entries = pairs(first)
        for (const [key, value] of entries)
          apply(mapSet, object, [this.decode(key), this.decode(value)])
        return entries.length * 2 + 1
      }
      case 'set': {
        check(types.isSet(object) && isArray(first))
        apply(setClear, object, [])
        for (const item of first as unknown[]) apply(setAdd, object, [this.decode(item)])
        return (first as unknown[]).length + 1
      }
      case 'date':
        check(types.isDate(object))
        apply(setTime, object, [Number(this.decode(first))])
        return 1
      case 'regexp':
        check(types.isRegExp(object))
        ;(object as RegExp).lastIndex = lengthOf(third)
        return 1
      case 'bytes':
        return fillBytes(object, String(second))
      case 'error': {
        check(types.isNativeError(object))
        this.#define(object, third)
        const prototype = this.decode(fourth)
        if (prototype !== null && typeof prototype === 'object') setPrototypeOf(object, prototype)
        return 1
      }
      default:
        return 1
    }
  }

  /**
   * Adds own properties to the object and returns their number. They are defined, not assigned, because assigning to
   * the key `__proto__` would change the prototype.
   */
  #define(object: object, properties: unknown): number {
    const entries = pairs(properties)
    for (const [key, value] of entries) {
      const name = this.decode(key)
      if (typeof name !== 'string' && typeof name !== 'symbol') throw new Violation('sent no key')
      defineProperty(object, name, {
        value: this.decode(value),
        writable: true,
        enumerable: !types.isNativeError(object) || name !== 'cause',
        configurable: true,
      })
    }
    return entries.length + 1
  }
}
