/**
 * What a grader returns, and the grade that a trial keeps of it. `Grade` and `Text` are part of the log's
 * format: they change only with a new version of the log and a reader for the old one.
 */
import type { Integrity } from './integrity.ts'
import type { Json } from './json.ts'
import type { ReasonCode } from './reasons.ts'

/** What a grader finds about one answer. */
export interface GraderOutput {
  /** In [0, 1]; null where the grader only decides. */
  readonly score: number | null
  /** Null for advice. */
  readonly passed: boolean | null
  /** One sentence for people: what was expected, what was found. */
  readonly reason?: string
  /** Nothing could be compared: it stays as it is where the case negates, for an unknown must not pass. */
  readonly final?: true
  readonly evidence?: string
  readonly facts?: Json
  readonly integrity?: Integrity
  readonly cause?: ReasonCode
  readonly details?: readonly Grade[]
}

/** Inline up to 4 KiB, beyond that a blob by its hash. */
export type Text = string | { readonly blob: string; readonly bytes: number }

export interface Grade {
  readonly name: string
  readonly type: string
  readonly score: number | null
  readonly passed: boolean | null
  readonly weight: number
  readonly required?: true
  readonly reason?: string
  readonly evidence?: Text
  readonly facts?: Json
  /** How its tests ran. Version 1 of the log has other names for the two. */
  readonly integrity?: Integrity
  /** Why the trial failed, where the grader knows more than that the answer is wrong. */
  readonly cause?: ReasonCode
  readonly details?: readonly Grade[]
}
