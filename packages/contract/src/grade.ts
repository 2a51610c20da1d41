/**
 * What a grader returns, and the grade that a trial stores from it. `Grade` and `Text` are part of the log's
 * format: they change only with a new version of the log and a reader for the old one.
 */
import type { Integrity } from './integrity.ts'
import type { Json } from './json.ts'
import type { ReasonCode } from './reasons.ts'

/** A grader's result for one answer. */
export interface GraderOutput {
  /** From 0 to 1; null if the grader gives only a verdict. */
  readonly score: number | null
  /** Null if the grade is only advice, without a verdict. */
  readonly passed: boolean | null
  /** One sentence for people: what was expected and what was found. */
  readonly reason?: string
  /** Nothing could be compared. `negate` does not invert this result, because an unknown result must not pass. */
  readonly final?: true
  readonly evidence?: string
  readonly facts?: Json
  readonly integrity?: Integrity
  readonly cause?: ReasonCode
  readonly details?: readonly Grade[]
}

/** Stored inline up to 4 KiB; a longer text is a blob, referenced by its hash. */
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
  /** How its tests ran. Version 1 of the log uses other names for the two values. */
  readonly integrity?: Integrity
  /** Why the trial failed, if the grader knows more than "wrong answer". */
  readonly cause?: ReasonCode
  readonly details?: readonly Grade[]
}
