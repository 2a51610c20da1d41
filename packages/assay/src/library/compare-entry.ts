/** The package export `assay/compare`, which compares two runs and decides gates. */
export { compareReports, renderMarkdown, renderText } from '../compare/index.ts'
export type { CompareOptions, Comparison, PairComparison } from '../compare/index.ts'
export {
  compare,
  gate,
  type CompareRequest,
  type GatedReport,
  type GateRequest,
} from './compare.ts'
