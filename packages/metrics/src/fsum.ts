/**
 * Exactly rounded sums (Shewchuk 1997): the running sum is kept as partials that do not overlap, so
 * that nothing is lost and no order of adding changes the answer. Plain addition makes the mean of
 * [0.7, 0.7, 0.7] fall below 0.7 and then fail a threshold of 0.7, and gives two runs of the same
 * trials two summaries.
 */
import { checkLength } from './domain.ts'

export class Sum {
  /** Non-overlapping, growing in magnitude; two or three for ordinary data. */
  #partials = new Float64Array(8)
  #length = 0
  /** What plain addition gives, which is right where the exact sum is not finite. */
  #plain = 0

  add(x: number): this {
    this.#plain += x
    if (!Number.isFinite(this.#plain)) return this
    const partials = this.#partials
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
    // Room for one more: values that span many magnitudes keep many partials.
    if (this.#length === partials.length) {
      this.#partials = new Float64Array(2 * partials.length)
      this.#partials.set(partials)
    }
    return this
  }

  /** The sum as a double and the part below its last bit. */
  #parts(): { high: number; low: number } {
    if (!Number.isFinite(this.#plain) || this.#length === 0) return { high: this.#plain, low: 0 }
    const partials = this.#partials
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
    // A tie was broken to even; the partials further down say which way it really lies.
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

  /** The exact sum divided by a count, rounded as if once. */
  over(count: number): number {
    const { high, low } = this.#parts()
    const quotient = high / count
    if (!Number.isFinite(quotient) || Math.abs(high) > 1e290) return quotient
    return quotient + (high - quotient * count - productError(quotient, count) + low) / count
  }
}

/** x · y − fl(x · y), exactly (Dekker 1971). */
function productError(x: number, y: number): number {
  const [xHigh, xLow] = halves(x)
  const [yHigh, yLow] = halves(y)
  return xLow * yLow - (x * y - xHigh * yHigh - xLow * yHigh - xHigh * yLow)
}

/** A double as the sum of two with half the bits each, whose products are exact (Veltkamp 1968). */
function halves(x: number): [number, number] {
  const shifted = x * 134_217_729 // 2^27 + 1
  const high = shifted - (shifted - x)
  return [high, x - high]
}

/**
 * Sum of the values, rounded once: the same in any order.
 *
 * @example fsum([0.1, 0.2, 0.3]) // 0.6
 */
export function fsum(values: Iterable<number>): number {
  const sum = new Sum()
  for (const value of values) sum.add(checked(value))
  return known(sum.value)
}

function checked(value: number): number {
  if (typeof value !== 'number') throw new RangeError(`values must be numbers, got ${typeof value}`)
  return value
}

/** Infinity less Infinity, or a NaN among the values, has no sum. */
function known(sum: number): number {
  if (Number.isNaN(sum)) throw new RangeError('values must be numbers that have a sum, got NaN')
  return sum
}

/**
 * Arithmetic mean of the values by their exact sum.
 *
 * @example mean([0.7, 0.7, 0.7]) // 0.7
 */
export function mean(values: ArrayLike<number> & Iterable<number>): number {
  checkLength('values', values)
  const sum = new Sum()
  for (const value of values) sum.add(checked(value))
  const whole = known(sum.over(values.length))
  if (Number.isFinite(whole)) return whole
  // The sum may overflow where the mean does not.
  const parts = new Sum()
  for (const value of values) parts.add(value / values.length)
  return parts.value
}
