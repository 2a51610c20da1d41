/** What the registry knows of a metric. */
export interface MetricEntry {
  /** The exported function. */
  readonly name: string
  /** Where one of the three source documents defines it, and under which name; null where none does. */
  readonly specName: string | null
  /** The question it answers, in one sentence. */
  readonly answers: string
  readonly unit: string
  readonly direction: 'higher' | 'lower' | 'none'
  readonly range: string
  /** Plain text, ASCII operators, the symbols explained. */
  readonly formula: string
  readonly edges: readonly string[]
  /** Raised whenever the same input may give another answer. */
  readonly version: number
  /** Paper or book, where it comes from one. */
  readonly source?: string
}
