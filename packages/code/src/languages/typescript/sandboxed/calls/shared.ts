/**
 * The objects that both sides of an exchange hold. Plain data (arrays, plain objects, maps, sets, dates,
 * bytes, errors) is copied; each copy knows its original by identity, and before every message each side
 * looks at what it shares and sends along what has changed since. So an argument that the sample sorts in
 * place is sorted for the test, an internal array that it hands out can be spoilt by the test, and what
 * was returned twice is the same object twice.
 */
import { Identities, type Side } from './identities.ts'
import { Incoming } from './incoming.ts'
import { Outgoing } from './outgoing.ts'
import type { Node, Nodes, Wire } from './wire.ts'

/** What has behaviour is another's to tell and to make. */
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

  /** Follow with `finish` when all values of the message are encoded, or `forget` where it is not sent. */
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

  /** Takes the objects of a message in, before its values are decoded. */
  receive(nodes: unknown): void {
    this.#in.receive(nodes)
  }

  decode(wire: unknown): unknown {
    return this.#in.decode(wire)
  }
}
