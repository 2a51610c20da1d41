/** Results that others produced, summarised as a run of Assay is. */
export { analyze, readForeignReport, type Analysis, type AnalyzeOptions } from './analyze.ts'
export type { ReadFile } from './read-results.ts'
