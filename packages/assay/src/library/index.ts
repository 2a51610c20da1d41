/** The functions that programs use: suites, runs, comparisons and gates, in forms that are convenient in code. */
export {
  compare,
  gate,
  type CompareRequest,
  type GatedReport,
  type GateRequest,
} from './compare.ts'
export { run, type RunRequest } from './run.ts'
export { loadSuite, type AnySuite, type LoadSuiteOptions, type SuiteObject } from './suites.ts'
