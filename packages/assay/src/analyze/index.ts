/** Summarises results that other programs produced, in the same way as a run of Assay. */
export { analyze, readForeignReport, type Analysis, type AnalyzeOptions } from './analyze.ts'
export type { ReadFile } from './read-results.ts'
