/** The trial log: what is written to a run folder, and how it is read again. */
export { Blobs } from './blobs.ts'
export { redactor, type Redact } from './redact.ts'
export { freeFolder, isRunFolder, RunFolder } from './run-folder.ts'
export {
  lastRevision,
  readRecord,
  type AccessRecord,
  type CaseRecord,
  type Ending,
  type ExperimentRecord,
  type Revision,
  type RunRecord,
  type SubjectRecord,
  type SuiteRecord,
} from './run-record.ts'
export { readTrials } from './trial-lines.ts'
export type { LinesRead } from './read-lines.ts'
