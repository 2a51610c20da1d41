/**
 * The interface of a grader that a user writes: a module whose default export is a `CustomGrader`. What it
 * takes as options is told by their defaults, so that a misspelt one is found when the suite is read.
 */
import type { Json } from '@assay/contract'
import type { GraderInput, GraderOutput } from '../grader.ts'

/** What a grader of the user's own is given: plain data. Of a workspace that is what was changed in it. */
export type CustomGraded = Omit<GraderInput, 'folder' | 'workspace'>

/** What a grader of the user's own says: passed or not, or a score with a verdict and its reason. */
export type CustomGraderOutput =
  | boolean
  | Pick<GraderOutput, 'score' | 'passed' | 'reason' | 'evidence' | 'facts'>

/**
 * A grader in a file of your own, for the grader type `custom`. It must judge by what it is given alone, and
 * throws where it cannot judge: the trial is then errored, not failed.
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
  /** Every option with its default; a suite may give these, with values of the same kind. */
  readonly options?: Options
  grade(graded: CustomGraded, options: Options): CustomGraderOutput | Promise<CustomGraderOutput>
}

/** The grader as it is: for editors that should infer the options from their defaults. */
export const defineGrader = <Options extends object = Readonly<Record<string, Json>>>(
  grader: CustomGrader<Options>,
): CustomGrader<Options> => grader

export type AnyCustomGrader = CustomGrader<Readonly<Record<string, never>>>

/** The grader that a module exports; throws where it exports none. */
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
