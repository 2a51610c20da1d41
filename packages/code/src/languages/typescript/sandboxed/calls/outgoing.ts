/**
 * Encodes values for the other process. `encode` encodes one value. `finish` returns the objects that the encoded
 * values refer to, together with the objects that have changed since they were last sent.
 */
import { types } from '../builtins.ts'
import type { Identities, Watched } from './identities.ts'
import { base64, isPlainData } from './plain-data.ts'
import {
  bytesNames,
  errorClasses,
  intrinsicNames,
  MOST_OBJECTS,
  MOST_PARTS,
  wellKnown,
  type Node,
  type Nodes,
  type Wire,
} from './wire.ts'

const { apply, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect
const { isFrozen, is } = Object
const { isArray } = Array
const { isFinite } = Number

type Method = (...args: unknown[]) => unknown

// Methods saved before a solution can replace them.
const mapEach = Reflect.get(Map.prototype, 'forEach') as Method
const setEach = Reflect.get(Set.prototype, 'forEach') as Method
const getTime = Reflect.get(Date.prototype, 'getTime') as Method

const NONE: Nodes = []

export class Outgoing {
  readonly #known: Identities
  readonly #describeLive: (object: object) => Node
  #pending: number[] = []
  /** The numbers that this message gives to new objects, and the watched objects whose changes it sends. */
  #given: number[] = []
  #updated: Watched[] = []
  #fresh: unknown = null
  #parts = 0

  constructor(known: Identities, describeLive: (object: object) => Node) {
    this.#known = known
    this.#describeLive = describeLive
  }

  /**
   * Encodes a value. When all values of the message are encoded, call `finish`. If the message is not sent, call
   * `forget`.
   */
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
        return value === null ? null : this.#encodeObject(value as object)
    }
  }

  /**
   * Like `encode`, for an object that nothing else in this process refers to. So it cannot change and is not watched
   * for changes.
   */
  encodeFresh(value: unknown): Wire {
    if (this.#known.idOf(value) === undefined) this.#fresh = value
    return this.encode(value)
  }

  /** Encodes the prototype of an object of this process. */
  encodePrototype(prototype: object | null): Wire {
    return prototype === null ? null : this.#encodeObject(prototype)
  }

  #encodeObject(object: object): Wire {
    const name = intrinsicNames.get(object)
    return name === undefined ? ['o', this.#identify(object)] : ['k', name]
  }

  finish(): Nodes {
    // Most messages contain only primitive values, so this case is handled first.
    if (this.#pending.length === 0 && this.#known.watched.size === 0) {
      this.#begin()
      return NONE
    }
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
    for (const [id, watched] of this.#known.watched) {
      if (fresh.has(id)) continue
      const node = this.#known.change(id, watched, (object) => this.#copied(object))
      if (node === null) continue
      this.#updated.push(watched)
      nodes.push([id, node])
      describeAll()
    }
    this.#begin()
    return nodes
  }

  /** Undoes `encode` for a message that is not sent. */
  forget(): void {
    for (const id of this.#given) this.#known.forget(id)
    for (const watched of this.#updated) watched.known = ''
    this.#pending = []
    this.#begin()
  }

  #begin(): void {
    if (this.#given.length > 0) this.#given = []
    if (this.#updated.length > 0) this.#updated = []
    this.#fresh = null
    this.#parts = 0
  }

  #identify(object: unknown): number {
    const known = this.#known.idOf(object)
    if (known !== undefined) return known
    const id = this.#known.give(object)
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
    const object = this.#known.byId(id) as object
    if (!isPlainData(object)) return this.#describeLive(object)
    const before = this.#parts
    const node = this.#copied(object)
    if (object === this.#fresh) return ['fresh', node]
    if (node[0] !== 'error') this.#known.watch(id, node, this.#parts - before + 1)
    return node
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
        (value: unknown, key: unknown) => void entries.push([this.encode(key), this.encode(value)]),
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
    return [
      getPrototypeOf(object) === null ? 'bare' : 'plain',
      this.#properties(object, ownKeys(object)),
    ]
  }

  #arrayNode(array: unknown[]): Node {
    const { length } = array
    const keys = ownKeys(array)
    if (keys.length !== length + 1)
      return [
        'sparse',
        length,
        this.#properties(
          array,
          keys.filter((key) => key !== 'length'),
        ),
      ]
    const items: Wire[] = []
    for (let index = 0; index < length; index++) items.push(this.encode(array[index]))
    return ['array', items]
  }

  #errorNode(error: Error): Node {
    let builtin = 'Error'
    for (let at: object | null = error; at !== null; at = getPrototypeOf(at)) {
      const name = intrinsicNames.get(at)?.replace('.prototype', '')
      if (name === undefined || !errorClasses.has(name)) continue
      builtin = name
      break
    }
    const message = getOwnPropertyDescriptor(error, 'message')?.value
    return [
      'error',
      builtin,
      typeof message === 'string' ? message : '',
      this.#properties(
        error,
        ownKeys(error).filter((key) => key !== 'message' && key !== 'stack'),
      ),
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
}
