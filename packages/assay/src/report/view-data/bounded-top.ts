/**
 * A store of limited size that keeps the items with the lowest ranks, whatever the order in which they arrive. When the
 * store is too full, the item with the highest rank is dropped. From then on, no item of that rank or a higher one is
 * accepted. So the final content is the same for every order of arrival.
 */

export class BoundedTop<T> {
  readonly #kept = new Map<number, { readonly value: T; readonly bytes: number }>()
  #room: number
  /** Items are accepted only if their rank is lower than this. */
  #end: number

  /** `ranks` is the number of possible ranks. The item of rank 0 is the most important. */
  constructor(room: number, ranks: number) {
    this.#room = room
    this.#end = ranks
  }

  /** Whether an item of this rank would be accepted. If not, the caller need not create the item. */
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
