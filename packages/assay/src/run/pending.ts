/** An answer that has arrived and is not graded yet, as `pending.jsonl` keeps it. */
import type { Answer, Attempt, Identity, Source, Text } from '../contract.ts'

export interface Pending extends Identity {
  readonly caseHash: string
  readonly answer: Omit<Answer, 'text' | 'files'> & {
    readonly text: Text
    readonly files?: Readonly<Record<string, Text>>
  }
  readonly attempts: readonly Attempt[]
  readonly startedAt: string
  readonly answerMs: number
  readonly waitMs: number
  readonly answerUsd: number | null
  readonly spentUsd: number
  readonly source: Source
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
    Array.isArray(pending.attempts)
  )
}
