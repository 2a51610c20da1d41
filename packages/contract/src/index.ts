/**
 * The data that Assay writes to disk and passes between its packages. This module also runs in a browser.
 * `@assay/contract/hash` is a separate module because it needs Node.
 */
export {
  BudgetUsedUp,
  STOPS,
  SubjectError,
  type Answer,
  type Ask,
  type ModelRequests,
  type Source,
  type Stop,
  type Subject,
  type Traces,
} from './answer.ts'
export type {
  Call,
  Case,
  Dependency,
  Expectations,
  GraderConfig,
  Location,
  Message,
  Metadatum,
  Prompt,
  Suite,
  TestsLocation,
  Transform,
} from './case.ts'
export {
  A_DURATION,
  A_GRADER_DURATION,
  DURATION,
  durationMs,
  MOST_GRADER_SECONDS,
  MOST_SECONDS,
  parseDuration,
  parseGraderDuration,
} from './duration.ts'
export {
  FUNCTION_GRADER,
  type AnswerCall,
  type FunctionCall,
  type FunctionHost,
  type FunctionReply,
  type FunctionsDescription,
  type GradeCall,
} from './functions.ts'
export { RunError, UsageError } from './errors.ts'
export type { GatewayFigures, ModelRequest } from './gateway.ts'
export type { Grade, GraderOutput, Text } from './grade.ts'
export type { OptionFault, OptionsReading, ResolvedOptions } from './grader-options.ts'
export {
  ALL_GRADER,
  ANY_GRADER,
  CODE_GRADER,
  eachGrader,
  isCodeGrade,
  isJudgeGrade,
  isLabelGrade,
  JUDGE_CRITERION,
  JUDGE_GRADER,
  JUDGE_RUN,
  LABEL_GRADER,
} from './grader-types.ts'
export { FIRST_INTEGRITY_NAMES, integrityNamed, type Integrity } from './integrity.ts'
export type { Json } from './json.ts'
export {
  LABEL_LIMITS,
  LABEL_PICKS,
  LABEL_VERDICTS,
  pickAfter,
  type Label,
  type LabelPick,
  type LabelVerdict,
} from './label.ts'
export type { Mutable } from './mutable.ts'
export { plain, plainLines } from './plain.ts'
export { shellPath, shellWord } from './shell/shell-word.ts'
export { REASONS, type Reason, type ReasonCode } from './reasons.ts'
export type { Step, StepEvidence, Trajectory } from './trajectory.ts'
export type { Attempt, Identity, Outcome, Trial } from './trial.ts'
export type { Usage } from './usage.ts'
export {
  GRADED_GIT,
  WAY_OUT_PORT,
  WorkspaceTooLarge,
  type AgentLimits,
  type FileChange,
  type FileMode,
  type FolderChange,
  type GitSource,
  type GradedWorkspace,
  type LocalCommit,
  type Network,
  type RemoteCommit,
  type ServeRequest,
  type StagedParts,
  type StagedWorkspace,
  type TrialWorkspace,
  type WorkspaceDiff,
  type WorkspaceEnd,
  type WorkspacePlan,
  type ProgramInput,
  type WorkspaceProgram,
} from './workspace.ts'
