/**
 * Objects of the other side, and calls to them. What has behaviour is not copied: functions, classes and
 * their instances, objects with accessors, promises. Each is a proxy here, and what is done to the proxy
 * is asked of the other side, waiting for the answer; while one side waits it serves what the other asks,
 * so that callbacks really run where they were written. Both sides run this same code. The judge's side
 * is the careful one: the sample may send whatever it likes, and may do no more with the judge's objects
 * than call functions that it was given and use properties that a test put there (`guarded`).
 */
import { types } from 'node:util'
import { guarded, type Guard } from './guard.ts'
import { proxied, type Remotely, type Shape } from './proxied.ts'
import { Shared, type Side } from './shared.ts'
import {
  MOST_MESSAGE,
  Violation,
  type Message,
  type Node,
  type Operation,
  type Wire,
} from './wire.ts'

const { apply, construct, deleteProperty, get, getOwnPropertyDescriptor, getPrototypeOf, has } =
  Reflect
const { ownKeys, set } = Reflect
const { stringify } = JSON
const { isArray } = Array
const promiseThen = Promise.prototype.then
const sourceOf = Function.prototype.toString

export interface Wires {
  /** Sends the text of one message. */
  send(text: string): void
  /** The next message, waited for. */
  wait(): unknown
}

/** There is nobody on the other side any more; the message says why. */
export class Lost extends Error {
  override readonly name = 'Lost'
}

export class Remote implements Remotely {
  readonly #side: Side
  readonly #wires: Wires
  readonly #guard: Guard
  readonly #shared: Shared
  readonly #promises = new Map<number, { resolve(value: unknown): void; reject(why: unknown): void }>()
  readonly #answers = new Map<number, { threw: boolean; value: unknown }>()
  #calls = 0
  #lost: string | null = null
  /** The other side does not keep to the protocol. */
  onViolation: (why: string) => void = (why) => this.lose(why)
  /** What the sample says outside of calls. */
  onMessage: (message: Message) => void = () => {}
  /** Grows with everything that may have changed an object of the other side. */
  epoch = 0

  constructor(side: Side, wires: Wires) {
    this.#side = side
    this.#wires = wires
    this.#guard = guarded(side)
    this.#shared = new Shared(side, {
      describe: (object) => this.#describe(object),
      make: (id, node) => this.#make(id, node),
    })
  }

  // ── Asking ─────────────────────────────────────────────────────────────────────────────────────────

  ask(operation: Operation, target: unknown, args: readonly unknown[]): unknown {
    if (this.#lost !== null) throw new Lost(this.#lost)
    if (operation === 'apply' || operation === 'construct' || operation === 'set') this.epoch++
    const call = ++this.#calls
    this.#post(() => [
      'call',
      call,
      operation,
      this.#shared.encode(target),
      args.map((one) => this.#shared.encode(one)),
      this.#shared.finish(),
    ])
    for (;;) {
      this.take(this.#wires.wait())
      if (this.#lost !== null) throw new Lost(this.#lost)
      const answer = this.#answers.get(call)
      if (answer === undefined) continue
      this.#answers.delete(call)
      if (answer.threw) throw answer.value
      return answer.value
    }
  }

  /** Tells the other side something that is no answer and wants none. */
  tell(make: (encode: (value: unknown) => Wire, nodes: () => ReturnType<Shared['finish']>) => Message): void {
    this.#post(() => make((value) => this.#shared.encode(value), () => this.#shared.finish()))
  }

  /** From now on everything that is asked fails with this. */
  lose(why: string): void {
    this.#lost ??= why
    for (const { reject } of this.#promises.values()) reject(new Lost(this.#lost))
    this.#promises.clear()
  }

  #post(make: () => Message): void {
    let text: string
    try {
      text = stringify(make())
      if (text.length > MOST_MESSAGE)
        throw new RangeError('a value too large to be carried to the tests')
    } catch (error) {
      this.#shared.forget()
      throw error
    }
    this.#wires.send(text)
  }

  // ── Being asked ────────────────────────────────────────────────────────────────────────────────────

  /** Takes in one message. One that breaks the protocol ends the exchange. */
  take(message: unknown): void {
    if (message === null || this.#lost !== null) return
    try {
      this.#handle(message)
    } catch (error) {
      if (!(error instanceof Violation)) throw error
      this.onViolation(`the sample broke the protocol: it ${error.message}`)
    }
  }

  #handle(message: unknown): void {
    if (!isArray(message)) throw new Violation('sent no message')
    const nodes: unknown = message.at(-1)
    switch (message[0]) {
      case 'call': {
        const [, call, operation, target, args] = message as unknown[]
        if (typeof call !== 'number' || !isArray(args)) throw new Violation('sent no call')
        this.#shared.receive(nodes)
        const on = this.#shared.decode(target)
        this.#serve(call, operation as Operation, on, args.map((one) => this.#shared.decode(one)))
        return
      }
      case 'returned':
      case 'threw': {
        const [kind, call, value] = message as unknown[]
        if (typeof call !== 'number' || call > this.#calls) throw new Violation('sent no answer')
        this.#shared.receive(nodes)
        this.#answers.set(call, { threw: kind === 'threw', value: this.#shared.decode(value) })
        return
      }
      case 'settled': {
        const [, id, kept, value] = message as unknown[]
        this.epoch++
        this.#shared.receive(nodes)
        const promise = typeof id === 'number' ? this.#promises.get(id) : undefined
        if (promise === undefined) throw new Violation('sent no promise')
        this.#promises.delete(id as number)
        if (kept === true) promise.resolve(this.#shared.decode(value))
        else promise.reject(this.#shared.decode(value))
        return
      }
      default:
        this.onMessage(message as unknown as Message)
    }
  }

  /** Objects that came with a message of another kind. */
  receive(nodes: unknown): (wire: unknown) => unknown {
    this.#shared.receive(nodes)
    return (wire) => this.#shared.decode(wire)
  }

  #serve(call: number, operation: Operation, target: unknown, args: readonly unknown[]): void {
    this.epoch++
    let kind: 'returned' | 'threw' = 'returned'
    let value: unknown
    try {
      value = this.#perform(operation, target, args)
    } catch (error) {
      if (error instanceof Lost || error instanceof Violation) throw error
      kind = 'threw'
      value = error
    }
    const answer = (): Message => [kind, call, this.#shared.encode(value), this.#shared.finish()]
    try {
      this.#post(answer)
    } catch (error) {
      kind = 'threw'
      value = new RangeError(error instanceof Error ? error.message : 'a value that cannot be carried')
      this.#post(answer)
    }
  }

  #perform(operation: Operation, target: unknown, args: readonly unknown[]): unknown {
    const id = this.#shared.idOf(target)
    if (id === undefined || !this.#shared.isOwn(id)) throw new Violation('asked for what is not there')
    const object = target as object
    const [first, second] = args
    if (operation === 'apply' || operation === 'construct') {
      if (typeof object !== 'function') throw new Violation('called what is no function')
      return operation === 'apply'
        ? apply(object, first, args.slice(1))
        : construct(object, [...args], object)
    }
    if (operation === 'own') return this.#own(object)
    if (operation === 'primitive') return primitive(object, first)
    if (typeof first !== 'string' && typeof first !== 'symbol') throw new Violation('sent no key')
    if (!this.#guard.allows(operation, object, first)) return operation === 'get' ? undefined : false
    switch (operation) {
      case 'get':
        return get(object, first, object)
      case 'set':
        return set(object, first, second, object)
      case 'has':
        return has(object, first)
      case 'delete':
        return deleteProperty(object, first)
      default:
        throw new Violation('asked for something unknown')
    }
  }

  /** All own properties at once. */
  #own(object: object): unknown {
    return ownKeys(object).flatMap((key) => {
      if (!this.#guard.allows('own', object, key)) return []
      const found = getOwnPropertyDescriptor(object, key)
      if (found === undefined) return []
      const data = 'value' in found
      const value: unknown = data ? found.value : get(object, key, object)
      return [[key, found.enumerable === true, value, data]]
    })
  }

  // ── Live objects, told and made ────────────────────────────────────────────────────────────────────

  #describe(object: object): Node {
    if (types.isPromise(object)) return this.#describePromise(object)
    const prototype = getPrototypeOf(object)
    if (typeof object === 'function') {
      const { name, length } = object as { name: unknown; length: unknown }
      const own = getOwnPropertyDescriptor(object, 'prototype')?.value as unknown
      const makes = typeof own === 'object' && own !== null && !types.isGeneratorFunction(object)
      const isClass = makes && apply(sourceOf, object, []).startsWith('class')
      return [
        'function',
        typeof name === 'string' ? name : '',
        typeof length === 'number' ? length : 0,
        makes,
        isClass && this.#guard.tellsPrototype(own) ? this.#shared.encodePrototype(own) : null,
        isClass && this.#side === 'sample' && prototype !== null && prototype !== Function.prototype
          ? this.#shared.encode(prototype)
          : null,
      ]
    }
    const chain = this.#guard.tellsPrototype(prototype)
      ? this.#shared.encodePrototype(prototype)
      : (['k', 'Object'] as const)
    // A prototype tells its methods at once, so that calling one asks only once.
    const constructor: unknown = getOwnPropertyDescriptor(object, 'constructor')?.value
    if (isPrototypeOf(object, constructor)) {
      const methods: Wire[][] = []
      const others: Wire[] = []
      for (const key of ownKeys(object)) {
        if (key === 'constructor' || !this.#guard.allows('own', object, key)) continue
        const found = getOwnPropertyDescriptor(object, key)
        if (found !== undefined && typeof found.value === 'function')
          methods.push([this.#shared.encode(key), this.#shared.encode(found.value)])
        else others.push(this.#shared.encode(key))
      }
      return ['prototype', chain, methods, others, this.#shared.encode(constructor)]
    }
    return ['object', chain, isArray(object), this.#shadowing(object, prototype)]
  }

  /** Own properties that stand before a method of the same name. */
  #shadowing(object: object, prototype: object | null): Wire[] {
    if (types.isProxy(object) || prototype === null) return []
    return ownKeys(object)
      .filter((key) => has(prototype, key))
      .map((key) => this.#shared.encode(key))
  }

  #describePromise(promise: object): Node {
    const settle = (kept: boolean) => (value: unknown) => {
      if (this.#lost !== null) return
      const id = this.#shared.idOf(promise) as number
      try {
        this.#post(() => ['settled', id, kept, this.#shared.encode(value), this.#shared.finish()])
      } catch (error) {
        const why = error instanceof Error ? error : new RangeError('a value that cannot be carried')
        this.#post(() => ['settled', id, false, this.#shared.encode(why), this.#shared.finish()])
      }
    }
    void apply(promiseThen, promise, [settle(true), settle(false)])
    return ['promise']
  }

  #make(id: number, node: Node): object {
    if (node[0] === 'promise') {
      const promise = new Promise<unknown>((resolve, reject) => {
        this.#promises.set(id, { resolve, reject })
      })
      // Nobody need listen; whoever does gets it all the same.
      promise.catch(() => {})
      return promise
    }
    return proxied(this, this.#shape(node))
  }

  #shape(node: Node): Shape {
    const later = (wire: unknown): (() => unknown) => () => this.#shared.decode(wire)
    const [kind, first, second, third, fourth] = node
    const keys = (list: unknown): (() => Set<unknown>) => {
      if (!isArray(list)) throw new Violation('sent no keys')
      return () => new Set(list.map((one: unknown) => this.#shared.decode(one)))
    }
    switch (kind) {
      case 'function':
        return {
          kind,
          name: String(first),
          length: typeof second === 'number' ? second : 0,
          constructs: third === true,
          prototype: fourth === null ? null : later(fourth),
          parent: node[5] === null || node[5] === undefined ? null : later(node[5]),
        }
      case 'prototype': {
        if (!isArray(second)) throw new Violation('sent no methods')
        const methods = second as unknown[][]
        return {
          kind,
          chain: later(first),
          methods: () =>
            new Map(
              methods.map((one) => [this.#shared.decode(one[0]), this.#shared.decode(one[1])]),
            ),
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

  isRemote(object: unknown): boolean {
    const id = this.#shared.idOf(object)
    return id !== undefined && !this.#shared.isOwn(id)
  }

  get side(): Side {
    return this.#side
  }
}

const isPrototypeOf = (object: object, constructor: unknown): boolean =>
  typeof constructor === 'function' &&
  getOwnPropertyDescriptor(constructor, 'prototype')?.value === object

/** What JavaScript itself makes of an object where it wants a primitive. */
function primitive(object: object, hint: unknown): unknown {
  const own: unknown = get(object, Symbol.toPrimitive, object)
  const order = hint === 'string' ? ['toString', 'valueOf'] : ['valueOf', 'toString']
  const found: unknown[] = []
  if (typeof own === 'function') found.push(apply(own, object, [hint]))
  else
    for (const name of order) {
      const method: unknown = get(object, name, object)
      if (typeof method === 'function') found.push(apply(method, object, []))
    }
  const value = found.find((one) => (typeof one !== 'object' || one === null) && typeof one !== 'function')
  if (value === undefined && !found.includes(undefined))
    throw new TypeError('Cannot convert object to primitive value')
  return value
}
