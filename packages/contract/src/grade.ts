/**
 * What a grader returns, and the grade that a trial stores from it. `Grade` and `Text` are part of the format of
 * the trial log. So a change of these types needs a new version of the log and a reader for the old version.
 */
import type { Integrity } from './integrity.ts'
import type { Json } from './json.ts'
import type { ReasonCode } from './reasons.ts'

/** A grader's result for one answer. */
export interface GraderOutput {
  /** The score, from 0 to 1; null if the grader gives only a verdict. */
  readonly score: number | null
  /** Null if the grade is only advice: then the grader does not decide whether the trial passes. */
  readonly passed: boolean | null
  /** One sentence for people: what was expected and what was found. */
  readonly reason?: string
  /** Set if nothing could be compared. Such a result must not pass, so `negate` does not invert it. */
  readonly final?: true
  readonly evidence?: string
  readonly facts?: Json
  readonly integrity?: Integrity
  readonly cause?: ReasonCode
  readonly details?: readonly Grade[]
}

/**
 * A text in the log. A text of up to 4 KiB is stored inline. A longer text is stored as a blob and referenced by
 * its hash.
 */
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
  /**
   * Whether the tests ran in the process of the solution. Version 1 of the log uses other names for the two values
   * (`FIRST_INTEGRITY_NAMES`).
   */
  readonly integrity?: Integrity
  /** Why the trial failed, if the grader knows more than "wrong answer". */
  readonly cause?: ReasonCode
  readonly details?: readonly Grade[]
}
