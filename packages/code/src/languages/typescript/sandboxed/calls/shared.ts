/**
 * The objects that both processes have. Plain data (arrays, plain objects, maps, sets, dates, bytes, errors) is
 * copied. Each copy is linked to its original. With every message, each process sends the changes to its shared
 * objects. So a test sees that the solution has sorted an argument in place, and a test can modify an internal array
 * that the solution returned. If the solution returns an object twice, the test gets the same object twice.
 */
import { Identities, type Side } from './identities.ts'
import { Incoming } from './incoming.ts'
import { Outgoing } from './outgoing.ts'
import type { Node, Nodes, Wire } from './wire.ts'

/** How live objects (objects with behavior) are described, and how proxies for them are made. See `remote.ts`. */
export interface Live {
  readonly describe: (object: object) => Node
  readonly make: (id: number, node: Node) => object
}

export class Shared {
  readonly #known: Identities
  readonly #out: Outgoing
  readonly #in: Incoming

  constructor(side: Side, live: Live) {
    this.#known = new Identities(side)
    this.#out = new Outgoing(this.#known, live.describe)
    this.#in = new Incoming(this.#known, live.make)
  }

  idOf(object: unknown): number | undefined {
    return this.#known.idOf(object)
  }

  isOwn(id: number): boolean {
    return this.#known.isOwn(id)
  }

  /**
   * Encodes a value. When all values of the message are encoded, call `finish`. If the message is not sent, call
   * `forget`.
   */
  encode(value: unknown): Wire {
    return this.#out.encode(value)
  }

  encodeFresh(value: unknown): Wire {
    return this.#out.encodeFresh(value)
  }

  encodePrototype(prototype: object | null): Wire {
    return this.#out.encodePrototype(prototype)
  }

  finish(): Nodes {
    return this.#out.finish()
  }

  forget(): void {
    this.#out.forget()
  }

  /** Reads the list of objects in a message. Must be called before the values of the message are decoded. */
  receive(nodes: unknown): void {
    this.#in.receive(nodes)
  }

  decode(wire: unknown): unknown {
    return this.#in.decode(wire)
  }
}
