/** What is asked of the functions of a suite, and what they reply. Both are JSON: functions may run in another process. */
import type { Json } from './json.ts'
import type { Step } from './trajectory.ts'
import type { Usage } from './usage.ts'

export interface AnswerCall {
  readonly kind: 'answer'
  readonly subject: string
  readonly case: string
  readonly index: number
  readonly input: Json
  readonly timeoutMs: number
}

export interface GradeCall {
  readonly kind: 'grade'
  /** The place of the grader among the function graders of the suite. */
  readonly grader: number
  readonly case: string
  readonly index: number
  readonly input: Json
  readonly expected: Json | null
  /** False if the case has no expected output. Then the function gets undefined. */
  readonly isExpected: boolean
  readonly output: Json
  readonly timeoutMs: number
}

export type FunctionCall = AnswerCall | GradeCall

export interface FunctionReply {
  readonly how: 'returned' | 'threw' | 'timeout' | 'unrecordable' | 'died'
  /** The returned value, if it is JSON. Absent if the function returned nothing. */
  readonly value?: Json
  /** Why there is no value: the error with its stack, or what cannot be recorded. */
  readonly text?: string
  /** What was printed during the call. */
  readonly log: string
  readonly usage: Usage | null
  readonly usd: number | null
  readonly steps: readonly Step[]
  readonly ms: number
}

/** A suite with functions, as data. */
export interface FunctionsDescription {
  /** The suite without its functions. Each function grader is a table `{ type: "function", … }`. */
  readonly value: Json
  readonly faults: readonly {
    readonly path: readonly (string | number)[]
    readonly found: string
    readonly expected: string
  }[]
  readonly subjects: readonly string[]
  readonly passEnv: readonly string[]
}

/** Where the functions of a suite run: in this process, or in one of their own. */
export interface FunctionHost {
  readonly description: FunctionsDescription
  /** The hashes of the project's files that the functions consist of, by path. Empty if they are not known. */
  readonly files: Readonly<Record<string, string>>
  /** Gives the functions variables of the user's environment. */
  give(variables: Readonly<Record<string, string>>): void
  /** Makes a call. Rejects only if the signal aborts. */
  call(call: FunctionCall, signal: AbortSignal): Promise<FunctionReply>
  /** Ends what was started. A later call starts it again. */
  close(): Promise<void>
  /** Functions are not part of any record. */
  toJSON(): undefined
}

/** The type of graders that are functions. Suite files cannot name it. */
export const FUNCTION_GRADER = 'function'
