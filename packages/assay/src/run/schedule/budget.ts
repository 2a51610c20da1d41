/**
 * Money. What is in flight is reserved at its estimate, so that a hundred requests at once cannot
 * together pass a budget that each alone respects. What turns out to have cost nobody knows how much counts
 * as what was reserved for it.
 */

const NANO = 1e9
const nanos = (usd: number): number => Math.round(usd * NANO)

export class Budget {
  /** All in nano-dollars: fifty times one cent is half a dollar, not a little more. */
  readonly #limit: number | null
  #spent: number
  #reserved = 0
  /** What answers turned out to cost, for subjects that cannot say beforehand. */
  #known = { nanos: 0, answers: 0 }
  /** Woken whenever a reservation is given back. */
  readonly #waiting: (() => void)[] = []
  #waiters = 0

  constructor(limit: number | null, alreadySpent: number) {
    this.#limit = limit === null ? null : nanos(limit)
    this.#spent = nanos(alreadySpent)
  }

  /** Whether there is anything to hold. */
  get isLimited(): boolean {
    return this.#limit !== null
  }

  /** What counts as spent. */
  get spent(): number {
    return this.#spent / NANO
  }

  /** Takes an estimate out of what is left; false where the budget does not allow it. */
  reserve(estimate: number | null): number | false {
    // What is begun goes before what is new: an answer without its judgement was paid for nothing.
    return this.#waiters > 0 ? false : this.#take(estimate)
  }

  /** The same for what is under way: waits as long as something in flight may turn out cheaper. */
  async reserveSoon(estimate: number | null): Promise<number | false> {
    this.#waiters++
    try {
      for (;;) {
        const taken = this.#take(estimate)
        if (taken !== false || this.#reserved === 0) return taken
        await new Promise<void>((resolve) => this.#waiting.push(resolve))
      }
    } finally {
      this.#waiters--
    }
  }

  #take(estimate: number | null): number | false {
    const mean = this.#known.answers === 0 ? 0 : this.#known.nanos / this.#known.answers
    const amount = estimate === null ? Math.round(mean) : nanos(estimate)
    if (this.#limit !== null && this.#spent + this.#reserved + amount > this.#limit) return false
    this.#reserved += amount
    return amount / NANO
  }

  /**
   * Gives a reservation back and books what was really paid. `unknownCosts` is how many of the requests that
   * it was for cost more than `spent` tells: each then counts as the whole reservation.
   */
  settle(reserved: number, spent: number, unknownCosts = 0): void {
    const booked = nanos(Math.max(spent, reserved * unknownCosts))
    this.#reserved -= nanos(reserved)
    this.#spent += booked
    this.#known = { nanos: this.#known.nanos + booked, answers: this.#known.answers + 1 }
    for (const wake of this.#waiting.splice(0)) wake()
  }
}
