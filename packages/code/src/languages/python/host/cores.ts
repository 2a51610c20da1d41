/**
 * Which core a sample and its tester work on. They take turns, and the one that waits is woken for every call:
 * on the same core that costs a tenth less of all that a sample costs.
 */
import { availableParallelism } from 'node:os'

export class Cores {
  /** How many are at work on each. */
  readonly #busy: number[]

  constructor(count = availableParallelism()) {
    this.#busy = Array.from({ length: count }, () => 0)
  }

  /** The one with the least work; the last one again, if that is as good. */
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
