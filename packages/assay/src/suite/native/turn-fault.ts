/** Finds graders that refer to a turn which the case does not have. Such a grader could never pass. */
import type { GraderConfig, OptionFault } from '@assay/contract'

/** Returns the problem of a grader in a case with this number of turns, or null if there is none. */
export function turnFault(
  { turn: graded, options }: Pick<GraderConfig, 'turn' | 'options'>,
  turns: number,
): OptionFault | null {
  const turn =
    graded ??
    (typeof options === 'object' && options !== null && 'turn' in options ? options['turn'] : null)
  if (typeof turn !== 'number' || turn <= turns) return null
  return {
    path: ['turn'],
    found: `turn ${turn} in a case of ${turns === 1 ? 'one turn' : `${turns} turns`}`,
    expected: `a turn of the case, from 1 to ${turns}`,
  }
}
