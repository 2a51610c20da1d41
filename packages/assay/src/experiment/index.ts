/** Experiments: what is compared, their tiers, what may vary, and how they are graded. */
export { loadExperiment, type Experiment } from './load.ts'
export { experimentSchema, mayBeExperiment, type ExperimentFile } from './schema.ts'
export { pathSchema, subjectNameSchema, subjectSchema } from './subject-schema.ts'
export { checkVary } from './vary.ts'
