/** An answer that has arrived and is not graded yet, as `pending.jsonl` keeps it. */
import type { Answer, Attempt, Identity, Source, Text } from '@assay/contract'
import type { MaskedPart } from '../../log/index.ts'

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

export function isPending(value: unknown): value is Pending {
  const pending = value as Partial<Pending> | null
  return (
    typeof pending === 'object' &&
    pending !== null &&
    typeof pending.suite === 'string' &&
    typeof pending.case === 'string' &&
    typeof pending.subject === 'string' &&
    Number.isSafeInteger(pending.index) &&
    typeof pending.answer === 'object' &&
    Array.isArray(pending.attempts) &&
    isPaid(pending.spentUsd) &&
    (pending.answerUsd === null || isPaid(pending.answerUsd))
  )
}

/** Anything else in the file was not written by Assay, and must not lower what was spent. */
const isPaid = (usd: unknown): boolean => typeof usd === 'number' && usd >= 0 && usd < Infinity
