/** The package export `assay/report`, which reads runs and writes reports in every format. */
export { formatFor, readReportFile, readRun, renderReport, reportFormats } from '../report/index.ts'
export { summarize, writeReport } from '../report/index.ts'
export type { Report, ReportFormat, ReportSource, RunReport } from '../report/index.ts'
