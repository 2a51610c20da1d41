/**
 * Assigns one processor core to a solution and its tester together. Only one of the two works at any time, and each
 * call wakes the other one. Waking a process on another core is slow, so sharing one core saves a tenth of the total
 * cost of a solution.
 */
import { availableParallelism } from 'node:os'

export class Cores {
  /** How many pairs of a solution and a tester use each core. */
  readonly #busy: number[]

  constructor(count = availableParallelism()) {
    this.#busy = Array.from({ length: count }, () => 0)
  }

  /**
   * Returns a core that the fewest pairs use. If `last`, the core that the pair used before, is one of these, returns
   * `last`.
   */
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
