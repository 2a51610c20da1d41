/**
 * The interface of a custom grader: a module whose default export is a `CustomGrader`. The grader lists its options
 * with their defaults, and a suite may set only these. So a misspelt option is found when the suite is read.
 */
import type { Json } from '@assay/contract'
import type { GraderInput, GraderOutput } from '../grader.ts'

/**
 * The plain data that is sent to a custom grader. It contains the changes in a workspace, but not the workspace
 * itself.
 */
export type GradedAnswer = Omit<GraderInput, 'folder' | 'workspace'>

/**
 * The input of a custom grader. A grader that is a function of the suite also gets `output`, `input` and `expected`.
 */
export interface CustomGraded extends GradedAnswer {
  /** The answer. If a function of the suite answered, this is the value that the function returned. */
  readonly output: string
  /** The answer as text. It is the older name of `output`, which existing graders still use. */
  readonly answer: string
  /** What the subject was asked: the `input` of the case, otherwise its prompt. */
  readonly input: Json
  readonly expected?: Json
}

/** The result of a custom grader: a boolean (passed or not), or a score with a verdict and its reason. */
export type CustomGraderOutput =
  | boolean
  | Pick<GraderOutput, 'score' | 'passed' | 'reason' | 'evidence' | 'facts'>

/**
 * A grader in your own file, for the grader type `custom`. Its result must depend only on its input. If it cannot
 * grade an answer, it throws. The trial is then errored, not failed.
 *
 * @example
 * import type { CustomGrader } from 'assay'
 *
 * export default {
 *   options: { least: 3 },
 *   grade({ output }, { least }) {
 *     const words = output.split(/\s+/).filter((word) => word !== '').length
 *     return { score: Math.min(1, words / least), passed: words >= least, reason: `${words} words` }
 *   },
 * } satisfies CustomGrader<{ least: number }>
 */
export interface CustomGrader<Options extends object = Readonly<Record<string, Json>>> {
  /** Every option with its default. A suite may set these options, with values of the same type. */
  readonly options?: Options
  grade(graded: CustomGraded, options: Options): CustomGraderOutput | Promise<CustomGraderOutput>
}

/** Returns the grader unchanged. With this function, editors infer the types of the options from their defaults. */
export const defineGrader = <Options extends object = Readonly<Record<string, Json>>>(
  grader: CustomGrader<Options>,
): CustomGrader<Options> => grader

/** A complete grader, which error messages show as an example. */
export const EXAMPLE =
  'export default { options: {}, grade({ output }, options) { return output.length > 0 } }'

/** The error message for a module that exports no grader. */
export const NO_GRADER = 'no default export with a function grade'

export type AnyCustomGrader = CustomGrader<Readonly<Record<string, never>>>

/** Returns the grader that a module exports. Throws if it exports none. */
export function graderIn(module: unknown): AnyCustomGrader {
  const exported: unknown =
    typeof module === 'object' && module !== null && 'default' in module
      ? module.default
      : undefined
  const isGrader =
    typeof exported === 'object' &&
    exported !== null &&
    'grade' in exported &&
    typeof exported.grade === 'function'
  if (!isGrader) throw new Error(NO_GRADER)
  return exported as AnyCustomGrader
}
