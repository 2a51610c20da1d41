/**
 * Experiments are files that say which subjects are compared, which of them are tiers, which settings may differ
 * between tiers, and how composites and letter grades are computed.
 */
export { loadExperiment, type Experiment } from './load.ts'
export { experimentSchema, mayBeExperiment, type ExperimentFile } from './schema.ts'
export { pathSchema, subjectNameSchema, subjectSchema } from './subject-schema.ts'
export { checkVary } from './vary.ts'
