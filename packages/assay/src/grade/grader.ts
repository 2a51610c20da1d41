/**
 * What a grader is. Each lives in a file of its own and is registered in `graders.ts`; a grader looks at
 * one answer and yields one judgement. Weight, required, negate and name are common to all and handled
 * outside of it.
 */
import type { z } from 'zod'
import type { Case, Grade, Json, ReasonCode, Usage } from '../contract.ts'
import type { Sandbox } from '../sandbox/index.ts'

/** What is graded: the answer, what it cost, and the case it answers. */
export interface Graded {
  readonly case: Case
  readonly answer: string
  readonly files: Readonly<Record<string, string>>
  readonly usage: Usage | null
  readonly usd: number | null
  readonly answerMs: number
  /** Where the suite was read from: what the user has vendored stands there. Null where it was not a file. */
  readonly folder: string | null
}

export interface GraderContext {
  /** Aborted when the grade timeout has passed or the run is stopping. */
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** A stream of uniform numbers that belongs to this trial and grader. */
  readonly random: () => number
  /** Where untrusted code runs; null where the run has none because no case needs it. */
  readonly sandbox: Sandbox | null
}

export interface Judgement {
  /** In [0, 1]; null where the grader only decides. */
  readonly score: number | null
  /** Null for advice. */
  readonly passed: boolean | null
  /** One sentence for people: what was expected, what was found. */
  readonly reason?: string
  readonly evidence?: string
  readonly facts?: Json
  readonly integrity?: 'values' | 'inventory'
  readonly cause?: ReasonCode
  readonly details?: readonly Grade[]
}

export interface Grader<Options = unknown> {
  readonly type: string
  /** One line for `assay graders`. */
  readonly summary: string
  /** Strict: an unknown option is an error. Every field has a description. */
  readonly options: z.ZodType<Options>
  /**
   * It holds `timeoutMs` itself, counted from when its work begins: an answer must not fail because
   * grading it waited behind another one. Without this the clock runs from the call.
   */
  readonly keepsDeadline?: true
  grade(graded: Graded, options: Options, context: GraderContext): Judgement | Promise<Judgement>
}

/** The answer made grading run past its deadline: the trial failed, it did not error. */
export class GraderTimeout extends Error {
  override readonly name = 'GraderTimeout'
}
