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
import { graders } from './grade/index.ts'
import { loadSuite as load, type LoadedSuite } from './suite/index.ts'

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
  run,
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
export { VERSION } from './version.ts'

/**
 * Reads a suite in any format that Assay knows. A suite that is a program (`.ts`, `.js`) runs with your rights, so it
 * is loaded only if the options allow it.
 *
 * @example const { suite, warnings } = await loadSuite('suite.toml')
 */
export const loadSuite = (
  path: string,
  options: { readonly allowModules?: boolean; readonly signal?: AbortSignal } = {},
): Promise<LoadedSuite> => load(path, { graders, ...options })
