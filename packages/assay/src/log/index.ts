/** Writes and reads a run folder, which contains everything that is recorded about a run. */
export { parseDiff, parseMessages, parseTrajectory } from './agent-record.ts'
export { parseTraffic, type Exchange, type Traffic } from './traffic.ts'
export { Blobs, INLINE_BYTES } from './blobs.ts'
export { answerHash } from './labels/answer-hash.ts'
export {
  appendLabels,
  copyLabels,
  labelKey,
  LABELS_FILE,
  readLabels,
  type LabelsRead,
} from './labels/label-file.ts'
export { isLocked } from './lock/lock.ts'
export { maskedAttempts, maskedTrial } from './mask/masked.ts'
export { maskedAnswer, type MaskedAnswer, type MaskedPart } from './mask/masked-answer.ts'
export { MARK, masksAnything, redactor, type Redact } from './mask/redact.ts'
export { isTooShort } from './mask/secret-forms.ts'
export { unmaskedWords, type Unmasked } from './mask/unmasked.ts'
export {
  checkOwnFile,
  checkOwnFolder,
  openNamed,
  openOwn,
  readNamed,
  readOwn,
  TooLarge,
} from './own-file.ts'
export { checksumOf } from './checksum.ts'
export { namedDamage } from './damage-words.ts'
export {
  freeFolder,
  isRunFolder,
  readPending,
  RunFolder,
  type OnRecorded,
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
  type LeftOutRecord,
  type ReadOptions,
  type Revision,
  type RunRecord,
  type SubjectRecord,
  type SuiteRecord,
} from './run-record.ts'
export { notRunText } from './not-a-run.ts'
export {
  isIntactLine,
  LOG_VERSION,
  readTrials,
  type AnsweredTrial,
  type TrialsRead,
} from './trial-lines.ts'
export { noStarts, readRecorded, readTrialsAt, SMALL_RUN } from './trial-index/recorded-trials.ts'
export { GrowingLog } from './trial-index/growing-log.ts'
export { recordedFor, type RecordedTrials, type StoredTrials } from './trial-index/index-file.ts'
export { pendingShape, trialShape } from './trial-shape.ts'
export type { DamagedLine, LinesRead } from './read-lines.ts'
export { codeFacts } from './tally/code-facts.ts'
export type { Column } from './tally/column.ts'
export {
  checkSize as checkPlanSize,
  type Cell,
  Plan,
  type PlanSubject,
  type PlanSuite,
  answerersOf,
} from './tally/plan.ts'
export { durationMsOf } from './tally/duration.ts'
export {
  memberIndexes,
  memberOf,
  mixed,
  MOST_SHARDS,
  partIndex,
  type Shard,
} from './tally/shard.ts'
export { hash32, stream, trialStream } from './tally/rng.ts'
export { Tally, type Counts, type TrialFacts } from './tally/tally.ts'
