/**
 * Types for suites whose subjects and graders are functions: `suite({ cases, subjects, graders })`. TypeScript derives
 * the types of the functions' arguments from the cases.
 */

/** What a function may report about its work. It may report several times. Tokens and costs are added up. */
export interface Reported {
  readonly usage?: {
    readonly input?: number
    readonly output?: number
    readonly cacheRead?: number
    readonly cacheWrite?: number
    readonly reasoning?: number
  }
  /** The cost in US dollars. */
  readonly usd?: number
  readonly steps?: readonly ReportedStep[]
}

/** One step that a function reports, for the trajectory of its trial. */
export type ReportedStep =
  | {
      readonly kind: 'tool-call'
      readonly name: string
      readonly args?: unknown
      readonly result?: string
      readonly failed?: boolean
      readonly ms?: number
    }
  | {
      readonly kind: 'message'
      readonly role?: 'user' | 'assistant' | 'system'
      readonly text: string
    }
  | { readonly kind: 'reasoning'; readonly text: string }
  | { readonly kind: 'error'; readonly text: string }

/** The argument of a subject. */
export interface SubjectCall<Input> {
  readonly input: Input
  /** Aborts when the time limit is reached, and when the run stops. */
  readonly signal: AbortSignal
  /** The id of the case. `index` says which of its trials this is, from 0. */
  readonly case: string
  readonly index: number
  readonly report: (facts: Reported) => void
}

/** The argument of a grader. */
export interface GraderCall<Input, Expected, Output> {
  readonly input: Input
  readonly output: Output
  readonly expected: Expected
  readonly case: string
  readonly index: number
  readonly signal: AbortSignal
}

/**
 * What a grader returns. `true` or `false` is a verdict. A number is a score from 0 to 1. A score without `passed`
 * passes only if it is 1, or if it reaches the suite's threshold.
 */
export type FunctionGrade =
  | boolean
  | number
  | {
      readonly score: number | null
      readonly passed?: boolean | null
      readonly reason?: unknown
      readonly evidence?: string
      readonly facts?: unknown
    }

type Awaitable<T> = T | Promise<T>

export type FunctionGrader<Input, Expected, Output> = (
  call: GraderCall<Input, Expected, Output>,
) => Awaitable<FunctionGrade>

/** A grader function with a name and a weight. */
export interface NamedFunctionGrader<Input, Expected, Output> {
  readonly name?: string
  readonly weight?: number
  readonly required?: boolean
  readonly negate?: boolean
  readonly grade: FunctionGrader<Input, Expected, Output>
}

/** One of Assay's built-in graders, in the form that suite files use: `{ type: 'equals', value: 'yes' }`. */
export interface GraderTable {
  readonly type: string
  readonly [option: string]: unknown
}

export interface FunctionCase {
  /** Identifies the case in every record of it. Default: a hash of the input. */
  readonly id?: string
  readonly input: unknown
  readonly expected?: unknown
  readonly name?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly group?: string
  readonly metadata?: Readonly<Record<string, string | number | boolean>>
  readonly trials?: number
  readonly timeout?: number | string
}

export interface FunctionSuite<Case extends FunctionCase, Output> {
  /** The id of the suite. Default: the name of its file. */
  readonly id?: string
  readonly name?: string
  readonly description?: string
  readonly cases: readonly Case[] | (() => Awaitable<readonly Case[]>)
  /** The functions that answer, by name. If there are none, the command line must name the subjects. */
  readonly subjects?: Readonly<
    Record<string, (call: SubjectCall<Case['input']>) => Awaitable<Output>>
  >
  readonly graders: readonly (
    | FunctionGrader<Case['input'], Case['expected'], Output>
    | NamedFunctionGrader<Case['input'], Case['expected'], Output>
    | GraderTable
  )[]
  readonly scoring?: {
    readonly threshold?: number
    readonly weights?: Readonly<Record<string, number>>
  }
  readonly defaults?: { readonly trials?: number; readonly timeout?: number | string }
  /**
   * Names of environment variables, such as keys, that the functions get. They get them only if the suite's folder is
   * trusted.
   */
  readonly passEnv?: readonly string[]
}

/**
 * Returns its argument unchanged. It exists for TypeScript, which derives the types of the subjects' and graders'
 * arguments from the cases.
 *
 * @example
 * export default suite({
 *   cases: [{ id: 'sum', input: [1, 2], expected: 3 }],
 *   subjects: { ours: ({ input }) => input.reduce((a, b) => a + b) },
 *   graders: [({ output, expected }) => output === expected],
 * })
 */
export const suite = <Case extends FunctionCase, Output>(
  definition: FunctionSuite<Case, Output>,
): FunctionSuite<Case, Output> => definition
