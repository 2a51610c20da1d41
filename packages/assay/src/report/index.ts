/** What people and machines read. */
export { cut, padEnd, table, wrap } from './table.ts'
export { count, counted, dollars, percent, seconds } from './figures.ts'
export { summarize, type RunSummary } from './summarize.ts'
export type { CodeSummary } from './code-summary.ts'
export {
  summarizeTally,
  type AtK,
  type CaseSummary,
  type SubjectSummary,
  type Summary,
} from './summary.ts'
export { takeRemarks, type ReasonSummary, type Remarks } from './remarks.ts'
export { renderSummary } from './terminal.ts'
