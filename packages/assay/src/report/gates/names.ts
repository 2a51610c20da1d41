/**
 * The names of the metrics that a gate can limit, and of the parts of a run that a gate can be about. They have their
 * own file, so that `assay --help` can list them without loading the code that decides gates.
 */
export const BOUND_METRICS = [
  'meanScore',
  'passRate',
  'passAtK',
  'passHatK',
  'costOfPass',
  'latency',
] as const

export type BoundMetric = (typeof BOUND_METRICS)[number]

/** The keys that choose what a gate is about. */
const GATE_SCOPES = ['suite', 'subject', 'tag', 'case'] as const

/** The keys that may follow `metric=value` in `--fail-under` and `--fail-over`. */
export const GATE_KEYS = [...GATE_SCOPES, 'per', 'k', 'target'] as const
