/**
 * Assigns numbers to the objects that both processes know, and records which of these objects are watched for
 * changes. Only the most recent objects are watched, up to a total size, so that checking them stays cheap.
 */
import { contentOf, hasContent, type Content } from './content.ts'
import { Violation, type Node } from './wire.ts'

const { stringify } = JSON

/** The limit for the total size of the watched objects, counted in elements and properties. */
const MOST_WATCHED = 20_000

export type Side = 'tester' | 'solution'

export interface Watched {
  readonly weight: number
  /**
   * The content that the other process knows. For an object that is neither an array nor a plain object, this is its
   * node (its description) as JSON text.
   */
  known: Content | string
}

export class Identities {
  readonly #sign: 1 | -1
  readonly #ids = new Map<unknown, number>()
  readonly #objects = new Map<number, unknown>()
  readonly watched = new Map<number, Watched>()
  #weight = 0
  #count = 0

  constructor(side: Side) {
    this.#sign = side === 'solution' ? 1 : -1
  }

  idOf(object: unknown): number | undefined {
    return this.#ids.get(object)
  }

  has(id: number): boolean {
    return this.#objects.has(id)
  }

  byId(id: unknown): unknown {
    const object = typeof id === 'number' ? this.#objects.get(id) : undefined
    if (object === undefined) throw new Violation('spoke of an object that was never shared')
    return object
  }

  /** True if the object with this number belongs to this process. The sign of the number shows it. */
  isOwn(id: number): boolean {
    return id * this.#sign > 0
  }

  /** Assigns a number to an object of this process and returns the number. */
  give(object: unknown): number {
    const id = ++this.#count * this.#sign
    this.set(id, object)
    return id
  }

  set(id: number, object: unknown): void {
    this.#ids.set(object, id)
    this.#objects.set(id, object)
  }

  forget(id: number): void {
    this.#ids.delete(this.#objects.get(id))
    this.#objects.delete(id)
    this.#unwatch(id)
  }

  /** Starts to watch an object and remembers the content that the other process knows. */
  watch(id: number, node: Node, weight: number): void {
    this.#unwatch(id)
    this.watched.set(id, { weight, known: contentOf(this.byId(id) as object) ?? stringify(node) })
    this.#weight += weight
    for (const oldest of this.watched.keys()) {
      if (this.#weight <= MOST_WATCHED) break
      this.#unwatch(oldest)
    }
  }

  /** Returns the object's new node (its description) for the other process, or null if the object has not changed. */
  change(id: number, watched: Watched, describe: (object: object) => Node): Node | null {
    const object = this.byId(id) as object
    const { known } = watched
    if (typeof known !== 'string' && hasContent(object, known)) return null
    const node = describe(object)
    const now = contentOf(object) ?? stringify(node)
    if (now === known) return null
    watched.known = now
    return node
  }

  #unwatch(id: number): void {
    this.#weight -= this.watched.get(id)?.weight ?? 0
    this.watched.delete(id)
  }
}
