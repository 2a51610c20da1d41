/** An answer that is not graded yet, as stored in `pending.jsonl`. */
import type { Answer, Attempt, Identity, Source, Text } from '@assay/contract'
import { pendingShape, type MaskedPart } from '../../log/index.ts'

/** An answer as the log stores it: large texts may be blobs, trajectories and diffs are JSON. */
export interface KeptAnswer extends Omit<
  Answer,
  'text' | 'files' | 'trajectory' | 'stream' | 'diff' | 'messages' | 'log' | 'traffic'
> {
  readonly text: Text
  readonly files?: Readonly<Record<string, Text>>
  readonly trajectory?: Text
  readonly stream?: Text
  readonly diff?: Text
  readonly messages?: Text
  readonly log?: Text
  readonly traffic?: Text
}

export interface Pending extends Identity {
  readonly caseHash: string
  readonly answer: KeptAnswer
  readonly attempts: readonly Attempt[]
  readonly startedAt: string
  readonly answerMs: number
  readonly waitMs: number
  readonly answerUsd: number | null
  readonly spentUsd: number
  readonly source: Source
  /** The parts of the answer that masking changed. Grading them could give another grade than the original answer. */
  readonly masked?: readonly MaskedPart[]
}

/** Whether Assay can have written this value. Other values must not be graded and must not change the amount spent. */
export const isPending = (value: unknown): value is Pending => pendingShape(value) === null
