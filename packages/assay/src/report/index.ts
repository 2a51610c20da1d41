/** What people and machines read. */
export { buildReport, type ReportInput } from './build-report.ts'
export { count, counted, dollars, percent, seconds } from './figures.ts'
export { fixedDifference } from './fixed-difference.ts'
export type { ReportFormat, ReportSource } from './format.ts'
export { formatFor, formatNamed, reportFormats } from './formats.ts'
export { reportJsonSchema } from './json-format.ts'
export { htmlCode } from './markdown-text.ts'
export { SCORING } from './provenance.ts'
export { readReportFile, readRun, summarize, type RunReport } from './read-run.ts'
export {
  reportSchema,
  type CaseReport,
  type Provenance,
  type Report,
  type ReportMetric,
  type SubjectReport,
} from './report.ts'
export { select, type Shown, type ShownCell } from './show-select.ts'
export { renderShown } from './show.ts'
export { stampsOf } from './stamps.ts'
export { cut, padEnd, table, wrap } from './table.ts'
export { renderReport } from './terminal.ts'
export type { ViewCase, ViewCell, ViewData, ViewGrade, ViewTrial } from './view-data.ts'
export { DEFAULT_SCORING, type TierScoring } from './composite.ts'
export type { TierOrder } from './tier-report.ts'
export { writeReport } from './write-report.ts'
