/** The trial log: what is written to a run folder, and how it is read again. */
export { parseDiff, parseTrajectory } from './agent-record.ts'
export { Blobs } from './blobs.ts'
export { isLocked } from './lock/lock.ts'
export { maskedAttempts } from './mask/masked.ts'
export { maskedAnswer, type MaskedAnswer, type MaskedPart } from './mask/masked-answer.ts'
export { MARK, redactor, type Redact } from './mask/redact.ts'
export { isTooShort } from './mask/secret-forms.ts'
export { unmaskedWords, type Unmasked } from './mask/unmasked.ts'
export { checkOwnFile, checkOwnFolder, openNamed, openOwn, readNamed } from './own-file.ts'
export { checksumOf } from './checksum.ts'
export { namedDamage } from './damage-words.ts'
export {
  freeFolder,
  isRunFolder,
  RunFolder,
  WORKSPACES_FOLDER,
  type ResumeOptions,
} from './run-folder.ts'
export { addToRunList, readRunList, type ListedRun } from './run-list.ts'
export {
  lastRevision,
  readRecord,
  readRunHead,
  type AccessRecord,
  type CaseRecord,
  type Ending,
  type WaitRecord,
  type ExperimentRecord,
  type ReadOptions,
  type Revision,
  type RunRecord,
  type SubjectRecord,
  type SuiteRecord,
} from './run-record.ts'
export {
  isIntactLine,
  LOG_VERSION,
  readTrials,
  type AnsweredTrial,
  type TrialsRead,
} from './trial-lines.ts'
export { pendingShape } from './trial-shape.ts'
export type { DamagedLine, LinesRead } from './read-lines.ts'
export { codeFacts } from './tally/code-facts.ts'
export type { Column } from './tally/column.ts'
export { type Cell, Plan, type PlanSubject, type PlanSuite } from './tally/plan.ts'
export { hash32, stream } from './tally/rng.ts'
export { Tally, type Counts, type TrialFacts } from './tally/tally.ts'
