/** A fixed number of slots, given out in the order of requests. */
export class Semaphore {
  #free: number
  readonly #queue: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  /**
   * Takes a slot. Returns null if one was free. Otherwise returns a promise that resolves when another holder has freed
   * its slot.
   */
  enter(): Promise<void> | null {
    if (this.#free === 0) return new Promise<void>((resolve) => this.#queue.push(resolve))
    this.#free--
    return null
  }

  leave(): void {
    const next = this.#queue.shift()
    if (next === undefined) this.#free++
    else next()
  }
}
