/**
 * The calls of a suite's functions, and the replies. Both are JSON, because the functions may run in another process.
 */
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
  /** The index of the grader among the function graders of the suite. */
  readonly grader: number
  readonly case: string
  readonly index: number
  readonly input: Json
  readonly expected: Json | null
  /** False if the case has no expected output. The function then gets `undefined` instead of it. */
  readonly isExpected: boolean
  readonly output: Json
  readonly timeoutMs: number
}

export type FunctionCall = AnswerCall | GradeCall

export interface FunctionReply {
  readonly how: 'returned' | 'threw' | 'timeout' | 'unrecordable' | 'died'
  /** The returned value, if it is JSON. Absent if the function returned nothing. */
  readonly value?: Json
  /** Why there is no value: the error with its stack, or which returned value cannot be recorded. */
  readonly text?: string
  /** What the function printed during the call. */
  readonly log: string
  readonly usage: Usage | null
  readonly usd: number | null
  readonly steps: readonly Step[]
  readonly ms: number
}

/** A suite with functions, described as JSON. */
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

/** Calls the functions of a suite, which run in this process or in a separate one. */
export interface FunctionHost {
  readonly description: FunctionsDescription
  /** The hashes of the files that contain the functions, by path. Empty if these files are not known. */
  readonly files: Readonly<Record<string, string>>
  /** Passes variables of the user's environment to the functions. */
  give(variables: Readonly<Record<string, string>>): void
  /** Calls a function. Rejects only if the signal aborts. */
  call(call: FunctionCall, signal: AbortSignal): Promise<FunctionReply>
  /** Ends the process of the functions, if there is one. A later call starts it again. */
  close(): Promise<void>
  /** Returns undefined, so that the functions are left out when a suite is written as JSON. */
  toJSON(): undefined
}

/** The type of graders that are functions. A suite file cannot use this type. */
export const FUNCTION_GRADER = 'function'
