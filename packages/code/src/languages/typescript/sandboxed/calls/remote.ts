/**
 * Calls to objects of the other process. Functions, classes, instances, objects with accessors, and promises have
 * behavior, so they are not copied. This process has a proxy for each of them. An operation on a proxy is sent to the
 * other process as a request, and this process waits for the answer. While it waits, it handles requests of the other
 * process, so that callbacks run in the process that defined them.
 *
 * The tester and the solution's process both run this code. The tester must not trust the solution, which may send
 * anything. So the solution may do only two things with the tester's objects: call functions that it was given, and
 * use properties that a test has set (`guarded`).
 */
import { types } from '../builtins.ts'
import { guarded, type Guard } from './guard.ts'
import { describeLive, primitiveOf, shapeOf } from './live.ts'
import { proxied, type Remotely } from './proxied.ts'
import type { Side } from './identities.ts'
import { Shared } from './shared.ts'
import {
  MOST_MESSAGE,
  Violation,
  type Message,
  type Node,
  type Operation,
  type Wire,
} from './wire.ts'

const { apply, construct, deleteProperty, get, getOwnPropertyDescriptor, has, ownKeys, set } =
  Reflect
const { stringify } = JSON
const { isArray } = Array
const promiseThen = Reflect.get(Promise.prototype, 'then') as (...args: unknown[]) => unknown

/**
 * The `next` methods of built-in iterators. Each call returns a new object that nothing else refers to. So it cannot
 * change, and need not be watched for changes. That matters because there may be very many of these objects.
 */
const makesFresh: ReadonlySet<unknown> = new Set(
  [
    (function* () {})(),
    [].values(),
    new Map().values(),
    new Set().values(),
    ''[Symbol.iterator](),
  ].map((iterator) => Reflect.get(iterator, 'next') as unknown),
)

export interface Wires {
  /** Sends the text of one message. */
  send(text: string): void
  /** Blocks until the next message arrives and returns it. */
  wait(): unknown
}

/** Thrown if the other process has ended. The message says why. */
export class Lost extends Error {
  override readonly name = 'Lost'
}

export class Remote implements Remotely {
  readonly #side: Side
  readonly #wires: Wires
  readonly #guard: Guard
  readonly #shared: Shared
  readonly #promises = new Map<
    number,
    { resolve(value: unknown): void; reject(why: unknown): void }
  >()
  readonly #answers = new Map<number, { threw: boolean; value: unknown }>()
  #calls = 0
  #lost: string | null = null
  /** Called if the other process violates the protocol. */
  onViolation: (why: string) => void = (why) => this.lose(why)
  /** Called with messages of the solution that are neither requests nor answers. */
  onMessage: (message: Message) => void = () => {}
  /** The number of requests sent so far. */
  get asked(): number {
    return this.#calls
  }

  /**
   * A counter that increases whenever an object of the other process may have changed. When it has increased, proxies
   * drop their cached values.
   */
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

  // ── Sending requests ───────────────────────────────────────────────────────────────────────────────

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

  /** Sends a message that is neither a request nor an answer. It gets no answer. */
  tell(
    make: (encode: (value: unknown) => Wire, nodes: () => ReturnType<Shared['finish']>) => Message,
  ): void {
    this.#post(() =>
      make(
        (value) => this.#shared.encode(value),
        () => this.#shared.finish(),
      ),
    )
  }

  /** Records that the other process has ended. From now on every request fails with this reason. */
  lose(why: string): void {
    this.#lost ??= why
    for (const promise of this.#promises.values()) promise.reject(new Lost(this.#lost))
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

  // ── Serving requests ───────────────────────────────────────────────────────────────────────────────

  /** Handles one message. A message that violates the protocol ends the exchange. */
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
        this.#serve(
          call,
          operation as Operation,
          on,
          args.map((one) => this.#shared.decode(one)),
        )
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

  /** Reads the objects of a message that is neither a request nor an answer. Returns the decoder for its values. */
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
    const isFresh = operation === 'apply' && makesFresh.has(target)
    const answer = (): Message => [
      kind,
      call,
      isFresh ? this.#shared.encodeFresh(value) : this.#shared.encode(value),
      this.#shared.finish(),
    ]
    try {
      this.#post(answer)
    } catch (error) {
      kind = 'threw'
      value = new RangeError(
        error instanceof Error ? error.message : 'a value that cannot be carried',
      )
      this.#post(answer)
    }
  }

  #perform(operation: Operation, target: unknown, args: readonly unknown[]): unknown {
    const id = this.#shared.idOf(target)
    if (id === undefined || !this.#shared.isOwn(id))
      throw new Violation('asked for what is not there')
    const object = target as object
    const [first, second] = args
    if (operation === 'apply' || operation === 'construct') {
      if (typeof object !== 'function') throw new Violation('called what is not a function')
      return operation === 'apply'
        ? apply(object, first, args.slice(1))
        : construct(object, [...args], object)
    }
    if (operation === 'own') return this.#own(object)
    if (operation === 'primitive') return primitiveOf(object, first, this.#guard)
    if (typeof first !== 'string' && typeof first !== 'symbol') throw new Violation('sent no key')
    if (!this.#guard.allows(operation, object, first))
      return operation === 'get' ? undefined : false
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

  /** Returns all own properties of an object, so that they are sent in one answer. */
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

  // ── Describing live objects and making proxies ─────────────────────────────────────────────────────

  #describe(object: object): Node {
    if (types.isPromise(object)) return this.#describePromise(object)
    return describeLive(object, { side: this.#side, guard: this.#guard, shared: this.#shared })
  }

  #describePromise(promise: object): Node {
    const settle = (kept: boolean) => (value: unknown) => {
      if (this.#lost !== null) return
      const id = this.#shared.idOf(promise) as number
      try {
        this.#post(() => ['settled', id, kept, this.#shared.encode(value), this.#shared.finish()])
      } catch (error) {
        const why =
          error instanceof Error ? error : new RangeError('a value that cannot be carried')
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
      // Without this handler, Node would report an unhandled rejection if the promise rejects before a test adds a
      // handler. Handlers that a test adds still receive the rejection.
      promise.catch(() => {})
      return promise
    }
    return proxied(
      this,
      shapeOf(node, (wire) => this.#shared.decode(wire)),
    )
  }

  isRemote(object: unknown): boolean {
    const id = this.#shared.idOf(object)
    return id !== undefined && !this.#shared.isOwn(id)
  }
}
