/**
 * The names of metrics and formats of `assay compare`. Separate, so that `assay --help` lists them without
 * loading the comparison.
 */
export const METRICS = ['meanScore', 'passRate', 'passHatK', 'costOfPass', 'latency'] as const

export type MetricName = (typeof METRICS)[number]

/** The output formats of `assay compare`. */
export const COMPARISON_FORMATS = ['text', 'json', 'markdown'] as const

export type ComparisonFormat = (typeof COMPARISON_FORMATS)[number]
