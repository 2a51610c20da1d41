/**
 * The names of the metrics and formats of `assay compare`. They have their own file, so that `assay --help` can list
 * them without loading the code of the comparison.
 */
export const METRICS = ['meanScore', 'passRate', 'passHatK', 'costOfPass', 'latency'] as const

export type MetricName = (typeof METRICS)[number]

/** The output formats of `assay compare`. */
export const COMPARISON_FORMATS = ['text', 'json', 'markdown'] as const

export type ComparisonFormat = (typeof COMPARISON_FORMATS)[number]
