/** Numbers at ordinals, NaN where unknown. Takes no memory until the first number is known. */
export class Column {
  readonly #length: number
  #values: Float64Array | null = null

  constructor(length: number) {
    this.#length = length
  }

  set(at: number, value: number | null | undefined): void {
    if (this.#values === null) {
      if (value === null || value === undefined || Number.isNaN(value)) return
      this.#values = new Float64Array(this.#length).fill(Number.NaN)
    }
    this.#values[at] = value ?? Number.NaN
  }

  /** NaN where unknown. */
  at(at: number): number {
    return this.#values === null ? Number.NaN : (this.#values[at] as number)
  }

  /** Whether no number is known, as far as is known without looking. */
  get isEmpty(): boolean {
    return this.#values === null
  }
}
