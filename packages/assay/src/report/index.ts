/** Reports: their figures, and the formats in which people and programs read them. */
export { buildReport, type ReportInput } from './figures/build-report.ts'
export { fixedDifference } from './figures/fixed-difference.ts'
export type { ReportFormat, ReportSource } from './formats/format.ts'
export { formatFor, formatNamed, reportFormats } from './formats/formats.ts'
export { reportJsonSchema } from './formats/json-format.ts'
export { SCORING } from './figures/provenance.ts'
export { readReportFile, readRun, summarize, type RunReport } from './read-run.ts'
export {
  reportSchema,
  type CaseReport,
  type Provenance,
  type Report,
  type ReportMetric,
  type SubjectReport,
} from './schema/report.ts'
export { select, type Shown, type ShownCell } from './terminal/show-select.ts'
export { renderShown } from './terminal/show.ts'
export { disclosuresOf } from './figures/disclosures.ts'
export { renderReport } from './terminal/terminal.ts'
export { DEFAULT_SCORING, type TierScoring } from './figures/composite.ts'
export type { TierOrder } from './figures/tier-report.ts'
export { writeReport } from './formats/write-report.ts'
export { checkReport } from './schema/check-report.ts'
