/** The registry's description of one metric. */
export interface MetricEntry {
  /** The name of the exported function. */
  readonly name: string
  /**
   * The document that defines the metric (code-scoring, scoring-functions or metrics-formulas) and
   * the metric's name in it; null if none of them defines it.
   */
  readonly specName: string | null
  /** The question that the metric answers, in one sentence. */
  readonly answers: string
  readonly unit: string
  readonly direction: 'higher' | 'lower' | 'none'
  readonly range: string
  /** The formula in plain text with ASCII operators. It explains its symbols. */
  readonly formula: string
  readonly edges: readonly string[]
  /**
   * The version of the metric. It increases whenever a change makes the same input give a different
   * result.
   */
  readonly version: number
  /** The paper or book that the formula comes from, if any. */
  readonly source?: string
}
