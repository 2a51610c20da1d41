/**
 * The interface of a custom grader: a module whose default export is a `CustomGrader`. The grader's default options
 * define which options it accepts, so a misspelt one is found when the suite is read.
 */
import type { Json } from '@assay/contract'
import type { GraderInput, GraderOutput } from '../grader.ts'

/** The input of a custom grader: plain data. Of a workspace it contains only the changes. */
export type CustomGraded = Omit<GraderInput, 'folder' | 'workspace'>

/** The result of a custom grader: passed or not, or a score with a verdict and its reason. */
export type CustomGraderOutput =
  | boolean
  | Pick<GraderOutput, 'score' | 'passed' | 'reason' | 'evidence' | 'facts'>

/**
 * A grader in your own file, for the grader type `custom`. It must use nothing but its input. If it cannot judge an
 * answer it throws: the trial is then errored, not failed.
 *
 * @example
 * import type { CustomGrader } from 'assay'
 *
 * export default {
 *   options: { least: 3 },
 *   grade({ answer }, { least }) {
 *     const words = answer.split(/\s+/).filter((word) => word !== '').length
 *     return { score: Math.min(1, words / least), passed: words >= least, reason: `${words} words` }
 *   },
 * } satisfies CustomGrader<{ least: number }>
 */
export interface CustomGrader<Options extends object = Readonly<Record<string, Json>>> {
  /** Every option with its default. A suite may set these options, with values of the same type. */
  readonly options?: Options
  grade(graded: CustomGraded, options: Options): CustomGraderOutput | Promise<CustomGraderOutput>
}

/** Returns the grader unchanged. It lets editors infer the types of the options from their defaults. */
export const defineGrader = <Options extends object = Readonly<Record<string, Json>>>(
  grader: CustomGrader<Options>,
): CustomGrader<Options> => grader

export type AnyCustomGrader = CustomGrader<Readonly<Record<string, never>>>

/** Returns the grader that a module exports. Throws if it exports none. */
export function graderIn(module: unknown): AnyCustomGrader {
  const exported: unknown =
    typeof module === 'object' && module !== null && 'default' in module
      ? module.default
      : undefined
  if (typeof exported !== 'object' || exported === null)
    throw new Error('it has no default export with a function grade')
  if (!('grade' in exported) || typeof exported.grade !== 'function')
    throw new Error('its default export has no function grade')
  return exported as AnyCustomGrader
}
