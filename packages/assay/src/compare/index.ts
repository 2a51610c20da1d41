/** Compares two runs, and decides whether gates hold. */
export {
  BASELINE_FILE,
  faultsOf,
  isBaseline,
  isEdited,
  makeBaseline,
  openBaseline,
  type Baseline,
} from './baseline.ts'
export { compareReports, DEFAULTS } from './comparison.ts'
export type { CompareOptions, Comparison, PairComparison, Side } from './comparison-types.ts'
export { boundGates, readGateArgument } from './read-gates/gate-argument.ts'
export { concerns, type Gate, type GateResult } from './gates.ts'
export { gatesSchema, readGates } from './read-gates/gates-file.ts'
export type { MetricChange } from './gate-verdict.ts'
export type { CaseChange, CaseName, NotComparable } from './match-cases.ts'
export { renderMarkdown } from './markdown.ts'
export type { ComparisonFormat, MetricName } from './names.ts'
export { renderText } from './text.ts'
export { suiteChanges } from './pages/suite-changes.ts'
export { viewComparison } from './pages/view-comparison.ts'
