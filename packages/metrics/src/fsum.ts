/**
 * Compensated summation (Neumaier 1974): the running sum carries its own rounding error beside it.
 * Plain addition makes the mean of [0.7, 0.7, 0.7] fall below 0.7 and then fail a threshold of 0.7.
 */
import { checkLength } from './domain.ts'

export class Sum {
  #sum = 0
  #lost = 0

  add(x: number): this {
    const next = this.#sum + x
    // The smaller addend is the one whose low bits were cut off.
    this.#lost += Math.abs(this.#sum) >= Math.abs(x) ? this.#sum - next + x : x - next + this.#sum
    this.#sum = next
    return this
  }

  get value(): number {
    // Inf − Inf in the compensation is NaN; the plain sum already holds the right answer then.
    return Number.isFinite(this.#sum) ? this.#sum + this.#lost : this.#sum
  }
}

/**
 * Sum of the values, with an error that does not grow with their number.
 *
 * @example fsum([0.1, 0.2, 0.3]) // 0.6
 */
export function fsum(values: Iterable<number>): number {
  const sum = new Sum()
  for (const value of values) sum.add(value)
  return sum.value
}

/**
 * Arithmetic mean by a compensated sum.
 *
 * @example mean([0.7, 0.7, 0.7]) // 0.7
 */
export function mean(values: ArrayLike<number> & Iterable<number>): number {
  checkLength('values', values)
  return fsum(values) / values.length
}
