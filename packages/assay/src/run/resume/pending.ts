/** An answer that has arrived and is not graded yet, as `pending.jsonl` keeps it. */
import type { Answer, Attempt, Identity, Source, Text } from '@assay/contract'
import { pendingShape, type MaskedPart } from '../../log/index.ts'

/** An answer as the log keeps it: its large parts may be blobs, what an agent did and left is JSON. */
export interface KeptAnswer extends Omit<
  Answer,
  'text' | 'files' | 'trajectory' | 'stream' | 'diff'
> {
  readonly text: Text
  readonly files?: Readonly<Record<string, Text>>
  readonly trajectory?: Text
  readonly stream?: Text
  readonly diff?: Text
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
  /** Parts of the answer that are masked here: graded as they are, they could get another grade. */
  readonly masked?: readonly MaskedPart[]
}

/** Anything else in the file was not written by Assay, and must neither be graded nor lower what was spent. */
export const isPending = (value: unknown): value is Pending => pendingShape(value) === null
