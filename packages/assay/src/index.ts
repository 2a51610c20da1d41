/**
 * Assay as a library: what the command line does, as typed functions.
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
export {
  readReportFile,
  readRun,
  summarize,
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
 * Reads a suite in any format Assay knows. A suite that is a program (`.ts`, `.js`) runs with your
 * rights, so it must be allowed.
 *
 * @example const { suite, warnings } = await loadSuite('suite.toml')
 */
export const loadSuite = (
  path: string,
  options: { readonly allowModules?: boolean; readonly signal?: AbortSignal } = {},
): Promise<LoadedSuite> => load(path, { graders, ...options })
