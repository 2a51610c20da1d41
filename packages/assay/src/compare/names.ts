/** What a comparison can be asked for. Separate, so that `assay --help` lists it and loads no comparison. */
export const METRICS = ['meanScore', 'passRate', 'passHatK', 'costOfPass', 'latency'] as const

export type MetricName = (typeof METRICS)[number]

/** How `assay compare` prints. */
export const COMPARISON_FORMATS = ['text', 'json', 'markdown'] as const

export type ComparisonFormat = (typeof COMPARISON_FORMATS)[number]
