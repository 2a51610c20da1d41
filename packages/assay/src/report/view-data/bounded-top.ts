/**
 * A place with limited room that keeps the most wanted of what comes, whatever order it comes in: when the
 * room is used up, the least wanted goes, and from then on nothing that is wanted as little is taken again.
 * What is left at the end is then the same for every order.
 */

export class BoundedTop<T> {
  readonly #kept = new Map<number, { readonly value: T; readonly bytes: number }>()
  #room: number
  /** Ranks from here on are not taken. */
  #end: number

  /** `ranks`: how many there may be; 0 is wanted most. */
  constructor(room: number, ranks: number) {
    this.#room = room
    this.#end = ranks
  }

  /** Whether it is worth making. */
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
