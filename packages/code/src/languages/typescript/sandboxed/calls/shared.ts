/**
 * The objects that both sides of an exchange hold. Plain data (arrays, plain objects, maps, sets, dates, bytes,
 * errors) is copied. Each copy is linked to its original, and before every message each side sends what has changed
 * in the objects it shares. So an argument that the solution sorts in place is sorted for the test, a test can modify
 * an internal array that the solution returns, and an object that was returned twice is the same object.
 */
import { Identities, type Side } from './identities.ts'
import { Incoming } from './incoming.ts'
import { Outgoing } from './outgoing.ts'
import type { Node, Nodes, Wire } from './wire.ts'

/** How objects with behavior are described and made; implemented elsewhere. */
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

  /** Encodes a value. Call `finish` when all values of the message are encoded, or `forget` if it is not sent. */
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

  /** Reads the objects of a message. Must be called before its values are decoded. */
  receive(nodes: unknown): void {
    this.#in.receive(nodes)
  }

  decode(wire: unknown): unknown {
    return this.#in.decode(wire)
  }
}
