/**
 * Exactly rounded sums (Shewchuk 1997). The running sum is kept as several numbers that do not
 * overlap (partials), so nothing is lost and the order of the values does not matter. With plain
 * addition, the mean of [0.7, 0.7, 0.7] is below 0.7 and fails a threshold of 0.7, and two summaries
 * of the same trials can differ.
 */
import { checkLength } from './domain.ts'

export class Sum {
  /**
   * The partials, in increasing magnitude. Their bits do not overlap. Most data needs two or three
   * partials. The array is null until the second value is added. Until then `#first` holds the only
   * partial. This saves an array per sum, because a report has many sums of one value.
   */
  #partials: Float64Array | null = null
  #first = 0
  #length = 0
  /** The result of plain addition. If it is infinite or NaN, it is returned as the sum. */
  #plain = 0

  add(x: number): this {
    this.#plain += x
    if (!Number.isFinite(this.#plain)) return this
    if (this.#length === 0) {
      this.#first = x
      this.#length = 1
      return this
    }
    const partials = (this.#partials ??= Float64Array.of(this.#first, 0, 0, 0, 0, 0, 0, 0))
    let kept = 0
    let carry = x
    for (let i = 0; i < this.#length; i++) {
      const partial = partials[i] as number
      const sum = carry + partial
      const lost =
        Math.abs(carry) < Math.abs(partial) ? carry - (sum - partial) : partial - (sum - carry)
      if (lost !== 0) partials[kept++] = lost
      carry = sum
    }
    partials[kept] = carry
    this.#length = kept + 1
    // The array always has room for one more partial, because the next value can add one. Values
    // that span many magnitudes need many partials.
    if (this.#length === partials.length) {
      this.#partials = new Float64Array(2 * partials.length)
      this.#partials.set(partials)
    }
    return this
  }

  /** Returns the sum as a double (`high`) and the remainder that the double cannot represent (`low`). */
  #parts(): { high: number; low: number } {
    if (!Number.isFinite(this.#plain) || this.#length === 0) return { high: this.#plain, low: 0 }
    const partials = this.#partials
    if (partials === null) return { high: this.#first, low: 0 }
    let i = this.#length - 1
    let high = partials[i] as number
    let low = 0
    while (i > 0) {
      const x = high
      const y = partials[--i] as number
      high = x + y
      low = y - (high - x)
      if (low !== 0) break
    }
    // If the exact sum of two partials is halfway between two doubles, it was rounded to the even
    // one. The smaller partials show whether the exact total is above or below that halfway point,
    // so they can correct the rounding.
    if (i > 0 && low !== 0 && Math.sign(low) === Math.sign(partials[i - 1] as number)) {
      const doubled = low * 2
      const next = high + doubled
      if (doubled === next - high) {
        low -= next - high
        high = next
      }
    }
    while (i > 0) low += partials[--i] as number
    return { high, low }
  }

  /** The exact sum, rounded once. */
  get value(): number {
    return this.#parts().high
  }

  /** The exact sum divided by a count, as accurate as if it were rounded only once. */
  over(count: number): number {
    const { high, low } = this.#parts()
    const quotient = high / count
    if (!Number.isFinite(quotient) || Math.abs(high) > 1e290) return quotient
    return quotient + (high - quotient * count - productError(quotient, count) + low) / count
  }
}

/** Returns the rounding error of a product: the exact x · y minus the rounded x · y (Dekker 1971). */
function productError(x: number, y: number): number {
  const xHigh = upperHalf(x)
  const xLow = x - xHigh
  const yHigh = upperHalf(y)
  const yLow = y - yHigh
  return xLow * yLow - (x * y - xHigh * yHigh - xLow * yHigh - xHigh * yLow)
}

/**
 * Returns the upper half of the bits of x. The caller subtracts it from x to get the lower half.
 * Products of such halves are exact (Veltkamp 1968).
 */
function upperHalf(x: number): number {
  const shifted = x * 134_217_729 // 2^27 + 1
  return shifted - (shifted - x)
}

/**
 * Returns the sum of the values, rounded only once. So the sum is the same in any order.
 *
 * @example fsum([0.1, 0.2, 0.3]) // 0.6
 */
export function fsum(values: Iterable<number>): number {
  if (isIndexed(values) && values.length < 3) return fewSum(values)
  const sum = new Sum()
  if (isIndexed(values)) addAll(sum, values)
  else for (const value of values) sum.add(checked(value))
  return known(sum.value)
}

/**
 * Adds up to two values without a `Sum`, because one addition is rounded only once anyway. This
 * saves time: most trials have one or two grades, and there can be a million trials.
 */
function fewSum(values: ArrayLike<number>): number {
  if (values.length === 0) return 0
  const first = checked(values[0] as number)
  return known(values.length === 1 ? first : first + checked(values[1] as number))
}

/**
 * Adds all values to the sum. The loop uses an index, because an iterator would create an object
 * per value, and there can be a million values.
 */
function addAll(sum: Sum, values: ArrayLike<number>): void {
  for (let i = 0; i < values.length; i++) sum.add(checked(values[i] as number))
}

const isIndexed = (values: Iterable<number>): values is Float64Array | readonly number[] =>
  Array.isArray(values) || values instanceof Float64Array

function checked(value: number): number {
  if (typeof value !== 'number') throw new RangeError(`values must be numbers, got ${typeof value}`)
  return value
}

/**
 * Rejects a sum that is NaN. This happens if a value is NaN, or if the values contain both Infinity
 * and −Infinity.
 */
function known(sum: number): number {
  if (Number.isNaN(sum)) throw new RangeError('values must be numbers that have a sum, got NaN')
  return sum
}

/**
 * Returns the arithmetic mean of the values, computed from their exact sum.
 *
 * @example mean([0.7, 0.7, 0.7]) // 0.7
 */
export function mean(values: ArrayLike<number> & Iterable<number>): number {
  checkLength('values', values)
  const sum = new Sum()
  addAll(sum, values)
  const whole = known(sum.over(values.length))
  if (Number.isFinite(whole)) return whole
  // The sum can overflow although the mean is a finite double. So each value is divided before it
  // is added.
  const parts = new Sum()
  for (const value of values) parts.add(value / values.length)
  return parts.value
}
