/**
 * Money. What is in flight is reserved at its estimate, so that a hundred requests at once cannot
 * together pass a budget that each alone respects.
 */

export class Budget {
  readonly #limit: number | null
  #spent: number
  #reserved = 0
  /** What answers turned out to cost, for subjects that cannot say beforehand. */
  #known = { usd: 0, answers: 0 }

  constructor(limit: number | null, alreadySpent: number) {
    this.#limit = limit
    this.#spent = alreadySpent
  }

  get spent(): number {
    return this.#spent
  }

  /** Takes an estimate out of what is left; false where the budget does not allow it. */
  reserve(estimate: number | null): number | false {
    const mean = this.#known.answers === 0 ? 0 : this.#known.usd / this.#known.answers
    const amount = estimate ?? mean
    if (this.#limit !== null && this.#spent + this.#reserved + amount > this.#limit) return false
    this.#reserved += amount
    return amount
  }

  /** Gives a reservation back and books what was really paid. */
  settle(reserved: number, spent: number): void {
    this.#reserved -= reserved
    this.#spent += spent
    this.#known = { usd: this.#known.usd + spent, answers: this.#known.answers + 1 }
  }
}
