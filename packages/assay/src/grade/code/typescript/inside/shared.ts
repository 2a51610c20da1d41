/**
 * Values to wire and back, and the objects that both sides of an exchange hold. Plain data (arrays, plain
 * objects, maps, sets, dates, bytes, errors) is copied; each copy knows its original by identity, and
 * before every message each side looks at what it shares and sends along what has changed since. So an
 * argument that the sample sorts in place is sorted for the test, an internal array that it hands out can
 * be spoilt by the test, and what was returned twice is the same object twice. Only the latest objects
 * are watched, up to a total size, so that watching stays cheap.
 */
import { types } from 'node:util'
import { base64, COPIED, fillBytes, isPlainData, lengthOf, pairs, shell } from './plain.ts'
import {
  bytesNames,
  errorClasses,
  intrinsicNames,
  intrinsics,
  MOST_OBJECTS,
  MOST_PARTS,
  Violation,
  wellKnown,
  wellKnownByName,
  type Node,
  type Nodes,
  type Wire,
} from './wire.ts'

const { apply, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect
const { isFrozen, freeze, is, setPrototypeOf } = Object
const { isArray } = Array
const { stringify } = JSON
const { isFinite } = Number
const mapSet = Map.prototype.set
const mapClear = Map.prototype.clear
const mapEach = Map.prototype.forEach
const setAdd = Set.prototype.add
const setClear = Set.prototype.clear
const setEach = Set.prototype.forEach
const getTime = Date.prototype.getTime
const setTime = Date.prototype.setTime
const toBigInt = BigInt

/** The parts of watched objects, all together. */
const MOST_WATCHED = 20_000

export type Side = 'judge' | 'sample'

/** What has behaviour is another's to tell and to make. */
export interface Live {
  describe(object: object): Node
  make(id: number, node: Node): object
}

interface Watched {
  readonly weight: number
  last: string
}

export class Shared {
  readonly #sign: 1 | -1
  readonly #live: Live
  readonly #ids = new Map<unknown, number>()
  readonly #objects = new Map<number, unknown>()
  readonly #watched = new Map<number, Watched>()
  #weight = 0
  #count = 0
  #pending: number[] = []
  #given: number[] = []
  #parts = 0

  constructor(side: Side, live: Live) {
    this.#sign = side === 'sample' ? 1 : -1
    this.#live = live
  }

  idOf(object: unknown): number | undefined {
    return this.#ids.get(object)
  }

  byId(id: unknown): unknown {
    const object = typeof id === 'number' ? this.#objects.get(id) : undefined
    if (object === undefined) throw new Violation('spoke of an object that was never shared')
    return object
  }

  isOwn(id: number): boolean {
    return id * this.#sign > 0
  }

  // ── Out ────────────────────────────────────────────────────────────────────────────────────────────

  /** Follow with `finish` when all values of the message are encoded, or `forget` where it is not sent. */
  encode(value: unknown): Wire {
    this.#parts++
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return value
      case 'number':
        if (isFinite(value) && !is(value, -0)) return value
        return ['n', is(value, -0) ? '-0' : `${value}`]
      case 'undefined':
        return ['u']
      case 'bigint':
        return ['b', `${value}`]
      case 'symbol':
        return this.#encodeSymbol(value)
      default:
        return value === null ? null : ['o', this.#identify(value)]
    }
  }

  /** The prototype of an object of ours. */
  encodePrototype(prototype: object | null): Wire {
    if (prototype === null) return null
    const name = intrinsicNames.get(prototype)
    return name === undefined ? ['o', this.#identify(prototype)] : ['k', name]
  }

  finish(): Nodes {
    const nodes: [number, Node][] = []
    const fresh = new Set<number>()
    const describeAll = (): void => {
      for (let id = this.#pending.pop(); id !== undefined; id = this.#pending.pop()) {
        if (nodes.length >= MOST_OBJECTS || this.#parts > MOST_PARTS)
          throw new RangeError('a value too large to be carried to the tests')
        nodes.push([id, this.#describe(id)])
        fresh.add(id)
      }
    }
    describeAll()
    for (const [id, watched] of this.#watched) {
      if (fresh.has(id)) continue
      const node = this.#copied(this.#objects.get(id) as object)
      const text = stringify(node)
      if (text === watched.last) continue
      watched.last = text
      nodes.push([id, node])
      describeAll()
    }
    this.#given = []
    this.#parts = 0
    return nodes
  }

  /** What `encode` promised is not sent after all. */
  forget(): void {
    for (const id of this.#given) {
      this.#ids.delete(this.#objects.get(id))
      this.#objects.delete(id)
      this.#watched.delete(id)
    }
    this.#given = []
    this.#pending = []
    this.#parts = 0
  }

  #identify(object: unknown): number {
    const known = this.#ids.get(object)
    if (known !== undefined) return known
    const id = ++this.#count * this.#sign
    this.#ids.set(object, id)
    this.#objects.set(id, object)
    this.#given.push(id)
    if (typeof object !== 'symbol') this.#pending.push(id)
    return id
  }

  #encodeSymbol(symbol: symbol): Wire {
    const name = wellKnown.get(symbol)
    if (name !== undefined) return ['w', name]
    const key = Symbol.keyFor(symbol)
    if (key !== undefined) return ['r', key]
    return ['s', this.#identify(symbol), symbol.description ?? '']
  }

  #describe(id: number): Node {
    const object = this.#objects.get(id) as object
    if (!isPlainData(object)) return this.#live.describe(object)
    const before = this.#parts
    const node = this.#copied(object)
    if (node[0] !== 'error') this.#watch(id, node, this.#parts - before + 1)
    return node
  }

  #watch(id: number, node: Node, weight: number): void {
    this.#watched.set(id, { weight, last: stringify(node) })
    this.#weight += weight
    for (const [oldest, watched] of this.#watched) {
      if (this.#weight <= MOST_WATCHED) break
      this.#watched.delete(oldest)
      this.#weight -= watched.weight
    }
  }

  #copied(object: object): Node {
    const node = this.#content(object)
    return isFrozen(object) && node[0] !== 'error' ? ['frozen', node] : node
  }

  #content(object: object): Node {
    if (isArray(object)) return this.#arrayNode(object)
    if (types.isNativeError(object)) return this.#errorNode(object)
    if (types.isMap(object)) {
      const entries: Wire[][] = []
      apply(mapEach, object, [
        (value: unknown, key: unknown) =>
          void entries.push([this.encode(key), this.encode(value)]),
      ])
      return ['map', entries]
    }
    if (types.isSet(object)) {
      const items: Wire[] = []
      apply(setEach, object, [(item: unknown) => void items.push(this.encode(item))])
      return ['set', items]
    }
    if (types.isDate(object)) return ['date', this.encode(apply(getTime, object, []))]
    if (types.isRegExp(object)) return ['regexp', object.source, object.flags, object.lastIndex]
    if (types.isBoxedPrimitive(object))
      return ['boxed', this.encode((object as { valueOf(): unknown }).valueOf())]
    const bytes = bytesNames.get(getPrototypeOf(object) ?? object)
    if (bytes !== undefined) return ['bytes', bytes, base64(object)]
    return [getPrototypeOf(object) === null ? 'bare' : 'plain', this.#properties(object, ownKeys(object))]
  }

  #arrayNode(array: unknown[]): Node {
    const { length } = array
    const keys = ownKeys(array)
    if (keys.length !== length + 1)
      return ['sparse', length, this.#properties(array, keys.filter((key) => key !== 'length'))]
    const items: Wire[] = []
    for (let index = 0; index < length; index++) items.push(this.encode(array[index]))
    return ['array', items]
  }

  #errorNode(error: Error): Node {
    let builtin = 'Error'
    for (let at: object | null = error; at !== null; at = getPrototypeOf(at)) {
      const name = intrinsicNames.get(at)
      if (name === undefined || !errorClasses.has(name)) continue
      builtin = name
      break
    }
    const message = getOwnPropertyDescriptor(error, 'message')?.value
    return [
      'error',
      builtin,
      typeof message === 'string' ? message : '',
      this.#properties(error, ownKeys(error).filter((key) => key !== 'message' && key !== 'stack')),
      this.encodePrototype(getPrototypeOf(error)),
    ]
  }

  #properties(object: object, keys: readonly (string | symbol)[]): Wire[][] {
    const properties: Wire[][] = []
    for (const key of keys) {
      const found = getOwnPropertyDescriptor(object, key)
      if (found !== undefined && 'value' in found)
        properties.push([this.encode(key), this.encode(found.value)])
    }
    return properties
  }

  // ── In ─────────────────────────────────────────────────────────────────────────────────────────────

  /** Takes the objects of a message in, before its values are decoded. */
  receive(nodes: unknown): void {
    if (!isArray(nodes) || nodes.length > MOST_OBJECTS) throw new Violation('sent no list of objects')
    const fills: [object, Node, number][] = []
    for (const entry of nodes as unknown[]) {
      if (!isArray(entry)) throw new Violation('sent no object')
      const [id, wrapped] = entry as unknown[]
      if (typeof id !== 'number' || !isArray(wrapped)) throw new Violation('sent no object')
      const node = (wrapped[0] === 'frozen' ? wrapped[1] : wrapped) as Node
      if (!isArray(node) || typeof node[0] !== 'string') throw new Violation('sent no object')
      if (!this.#objects.has(id)) {
        if (this.isOwn(id)) throw new Violation('made up an object of the other side')
        const made = shell(node) ?? this.#live.make(id, node)
        this.#objects.set(id, made)
        this.#ids.set(made, id)
      } else if (!COPIED.has(node[0])) throw new Violation('changed the kind of an object')
      fills.push([this.#objects.get(id) as object, wrapped as unknown as Node, id])
    }
    for (const [object, wrapped, id] of fills) {
      const node = (wrapped[0] === 'frozen' ? wrapped[1] : wrapped) as Node
      if (!COPIED.has(node[0])) continue
      const parts = this.#fill(object, node)
      if (wrapped !== node) freeze(object)
      if (node[0] === 'error') continue
      const watched = this.#watched.get(id)
      if (watched === undefined) this.#watch(id, wrapped, parts)
      else watched.last = stringify(wrapped)
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
        return this.byId(first)
      case 'u':
        return undefined
      case 'n':
        return Number(first)
      case 'b':
        if (typeof first !== 'string' || !/^-?\d{1,1000000}$/.test(first))
          throw new Violation('sent no integer')
        return toBigInt(first)
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
    const known = this.#objects.get(id)
    if (known !== undefined) {
      if (typeof known !== 'symbol') throw new Violation('sent no symbol')
      return known
    }
    if (this.isOwn(id)) throw new Violation('made up a symbol of the other side')
    const symbol = Symbol(String(description))
    this.#objects.set(id, symbol)
    this.#ids.set(symbol, id)
    return symbol
  }

  /** Puts the content of a node into its object; how many parts that was. */
  #fill(object: object, node: Node): number {
    const [kind, first, second, third, fourth] = node
    if (isFrozen(object) && kind !== 'error') return 1
    const is = (right: boolean): void => {
      if (!right) throw new Violation('changed the kind of an object')
    }
    switch (kind) {
      case 'array': {
        is(isArray(object) && isArray(first))
        const items = (first as unknown[]).map((item) => this.decode(item))
        const array = object as unknown[]
        array.length = 0
        for (const item of items) array.push(item)
        return items.length + 1
      }
      case 'sparse':
        is(isArray(object) && typeof second === 'object')
        ;(object as unknown[]).length = 0
        ;(object as unknown[]).length = lengthOf(first)
        return this.#define(object, second)
      case 'plain':
      case 'bare':
        is(!isArray(object) && !types.isMap(object) && !types.isSet(object))
        for (const key of ownKeys(object)) Reflect.deleteProperty(object, key)
        return this.#define(object, first)
      case 'map': {
        is(types.isMap(object))
        apply(mapClear, object, [])
        const entries = pairs(first)
        for (const [key, value] of entries)
          apply(mapSet, object, [this.decode(key), this.decode(value)])
        return entries.length * 2 + 1
      }
      case 'set': {
        is(types.isSet(object) && isArray(first))
        apply(setClear, object, [])
        for (const item of first as unknown[]) apply(setAdd, object, [this.decode(item)])
        return (first as unknown[]).length + 1
      }
      case 'date':
        is(types.isDate(object))
        apply(setTime, object, [Number(this.decode(first))])
        return 1
      case 'regexp':
        is(types.isRegExp(object))
        ;(object as RegExp).lastIndex = lengthOf(third)
        return 1
      case 'bytes':
        return fillBytes(object, String(second))
      case 'error': {
        is(types.isNativeError(object))
        this.#define(object, third)
        const prototype = this.decode(fourth)
        if (prototype !== null && typeof prototype === 'object') setPrototypeOf(object, prototype)
        return 1
      }
      default:
        return 1
    }
  }

  /** Own properties, never by assignment: a key may be `__proto__`. */
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
