/** A fixed number of slots, given out in the order of requests. */
export class Semaphore {
  #free: number
  readonly #queue: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  async enter(): Promise<void> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#queue.push(resolve))
  }

  leave(): void {
    const next = this.#queue.shift()
    if (next === undefined) this.#free++
    else next()
  }
}
