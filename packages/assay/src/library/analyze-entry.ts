/** The package export `assay/analyze`, which analyzes results that other programs wrote. */
export { analyze, readForeignReport } from '../analyze/index.ts'
export type { Analysis, AnalyzeOptions } from '../analyze/index.ts'
