/**
 * Assay as a library. It offers the functions of the command line as typed functions.
 *
 * @example
 * import { loadSuite, makeSubjects, run, summarize } from 'assay'
 *
 * const { suite } = await loadSuite('suite.toml')
 * const subjects = await makeSubjects({ subjects: ['simulated:pass=0.8'] })
 * await run({ suites: [suite], subjects, folder: 'runs/first', trials: 10, passK: [1, 5] })
 * const report = await summarize('runs/first')
 */
export {
  type Answer,
  type Ask,
  type Attempt,
  type Case,
  type Grade,
  type GraderConfig,
  type Identity,
  type Integrity,
  type Json,
  type Message,
  type Outcome,
  type Reason,
  type ReasonCode,
  type Source,
  type Stop,
  type Subject,
  type Suite,
  type Text,
  type Trial,
  type Usage,
  REASONS,
  SubjectError,
  RunError,
  UsageError,
} from '@assay/contract'
export {
  defineGrader,
  type CustomGrader,
  type CustomGraderOutput,
  type GraderInput,
  type GraderOutput,
} from './grade/index.ts'
export { readTrials, type Ending, type RunRecord, type Counts } from './log/index.ts'
export {
  withJudges,
  type Clock,
  type RunEvent,
  type RunOptions,
  type RunResult,
} from './run/index.ts'
export { mergeParts, type MergedParts, type MergeOptions, type MissingPart } from './merge/index.ts'
export {
  readReportFile,
  readRun,
  RUN_SPECIFIC_PATHS,
  summarize,
  withoutRunSpecific,
  type CaseReport,
  type Report,
  type ReportMetric,
  type ReportSource,
  type RunReport,
  type SubjectReport,
} from './report/index.ts'
export { makeSubjects, type NamedSubject, type SubjectRequest } from './subject/index.ts'
export { selectCases, type LoadedSuite } from './suite/index.ts'
export { SuiteError, type Problem, type Warning } from './documents/index.ts'
export {
  suite,
  type FunctionCase,
  type FunctionGrade,
  type FunctionGrader,
  type FunctionSuite,
  type GraderCall,
  type GraderTable,
  type NamedFunctionGrader,
  type Reported,
  type ReportedStep,
  type SubjectCall,
} from './functions/index.ts'
export {
  compare,
  gate,
  loadSuite,
  run,
  type AnySuite,
  type CompareRequest,
  type GatedReport,
  type GateRequest,
  type LoadSuiteOptions,
  type RunRequest,
  type SuiteObject,
} from './library/index.ts'
export { compareReports, type CompareOptions, type Comparison } from './compare/index.ts'
export { analyze, type Analysis, type AnalyzeOptions } from './analyze/index.ts'
export { formatFor, reportFormats, writeReport, type ReportFormat } from './report/index.ts'
export { VERSION } from './version.ts'
