/** Reports: the figures, and the formats in which people and programs read them. */
export { RUN_SPECIFIC_PATHS, withoutRunSpecific } from './schema/run-specific.ts'
export {
  checkKeys,
  notesOf as breakdownNotes,
  valuesBy,
  withBreakdowns,
} from './figures/groups/breakdown.ts'
export { groupNames } from './figures/groups/case-groups.ts'
export { buildReport, type ReportInput } from './figures/build-report.ts'
export { boundFault, checkGateNames, type BoundGate } from './gates/bound-gate.ts'
export { decideGates } from './gates/decide-gates.ts'
export { estimateOver, logRatioValues, scoreSums, type RatioPart } from './gates/estimate.ts'
export { namesIn, withGates, type GatesAsked } from './gates/gates-report.ts'
export type { BoundMetric } from './gates/names.ts'
export { adviceText, conditionText, GATE_STATUS, measuredText } from './gates/words.ts'
export { fixedDifference } from './figures/fixed-difference.ts'
export type { ReportFormat, ReportSource } from './formats/format.ts'
export { formatFor, formatNamed, reportFormats } from './formats/formats.ts'
export { reportJsonSchema } from './formats/json-format.ts'
export { SCORING } from './figures/provenance.ts'
export { RunFollower } from './follow-run.ts'
export { readOutline, type RunOutline } from './read-outline.ts'
export { readReportFile, readRun, summarize, type RunReport } from './read-run.ts'
export { suiteFacts, type SuiteFacts } from './suites-as-run.ts'
export {
  reportSchema,
  type BoundResult,
  type CaseReport,
  type FileReading,
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
export { putPage } from './formats/html-page.ts'
export { checkReportPath, writePieces, writeReport } from './formats/write-report.ts'
export { checkReport } from './schema/check-report.ts'
export { JudgedTrials } from './figures/judge-report.ts'
export type { JudgesReport } from './schema/judge-schema.ts'
export { judgmentOf, type Judgment } from './judgment/judgment.ts'
export { writeJudgments } from './judgment/write-judgments.ts'
export { makeViewData, makeViewParts } from './view-data/make-view-data.ts'
export { scriptBytes } from './formats/script-json.ts'
export { wholeTrial } from './view-data/whole-trial.ts'
export { cellKey, positionsIn } from './schema/trial-position.ts'
export { answerText } from './view-data/whole-trial.ts'
