/** The trial log: what is written to a run folder, and how it is read again. */
export { Blobs } from './blobs.ts'
export { isLocked } from './lock.ts'
export { maskedAttempts } from './masked.ts'
export { maskedAnswer, type MaskedAnswer, type MaskedPart } from './masked-answer.ts'
export { MARK, redactor, type Redact } from './redact.ts'
export { isTooShort } from './secret-forms.ts'
export { unmaskedWords, type Unmasked } from './unmasked.ts'
export { freeFolder, isRunFolder, RunFolder } from './run-folder.ts'
export { addToRunList, readRunList, type ListedRun } from './run-list.ts'
export {
  lastRevision,
  readRecord,
  readRunHead,
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
