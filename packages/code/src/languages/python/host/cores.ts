/**
 * Assigns a core to a solution and its tester. They take turns, and the waiting one is woken for every call. Sharing
 * one core saves a tenth of the total cost of a solution.
 */
import { availableParallelism } from 'node:os'

export class Cores {
  /** How many pairs use each core. */
  readonly #busy: number[]

  constructor(count = availableParallelism()) {
    this.#busy = Array.from({ length: count }, () => 0)
  }

  /** Returns the core with the least work. Prefers `last` if it has no more work than that. */
  take(last: number | null): number {
    const least = Math.min(...this.#busy)
    const core = last !== null && this.#busy[last] === least ? last : this.#busy.indexOf(least)
    this.#add(core, 1)
    return core
  }

  free(core: number): void {
    this.#add(core, -1)
  }

  #add(core: number, count: number): void {
    this.#busy[core] = (this.#busy[core] ?? 0) + count
  }
}
