/**
 * A store of limited size that keeps the most wanted items, whatever order they arrive in. When the room is
 * used up, the least wanted item is dropped, and from then on no item of that rank or a later one is
 * accepted. The final content is therefore the same for every order.
 */

export class BoundedTop<T> {
  readonly #kept = new Map<number, { readonly value: T; readonly bytes: number }>()
  #room: number
  /** Items of this rank or later are not accepted. */
  #end: number

  /** `ranks` is the number of possible ranks; rank 0 is wanted most. */
  constructor(room: number, ranks: number) {
    this.#room = room
    this.#end = ranks
  }

  /** True if an item of this rank would be accepted, so that it is worth creating. */
  wants(rank: number): boolean {
    return rank < this.#end
  }

  offer(rank: number, value: T, bytes: number): void {
    if (!this.wants(rank)) return
    this.#kept.set(rank, { value, bytes })
    this.#room -= bytes
    while (this.#room < 0) {
      this.#end--
      this.#room += this.#kept.get(this.#end)?.bytes ?? 0
      this.#kept.delete(this.#end)
    }
  }

  get(rank: number): T | undefined {
    return this.#kept.get(rank)?.value
  }

  entries(): [rank: number, value: T][] {
    return [...this.#kept].map(([rank, { value }]) => [rank, value])
  }
}
