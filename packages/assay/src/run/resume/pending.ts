/** A pending answer is one that is not graded yet. The file `pending.jsonl` stores such answers. */
import type { Answer, Attempt, Identity, Source, Text } from '@assay/contract'
import { pendingShape, type MaskedPart } from '../../log/index.ts'

/**
 * An answer in the form that the log stores. Large texts may be in separate files (blobs). Trajectories and diffs are
 * JSON.
 */
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
  /** The parts of the answer that masking changed. Their grade could differ from the grade of the original answer. */
  readonly masked?: readonly MaskedPart[]
}

/**
 * Whether the value has the form that Assay writes. Any other value must not be graded and must not count as spent
 * money.
 */
export const isPending = (value: unknown): value is Pending => pendingShape(value) === null
