/** A grader that looks at one of the user's turns, in a case that has fewer: it could never hold. */
import type { GraderConfig, OptionFault } from '@assay/contract'

/** What is wrong with a grader in a case with this many turns; null where nothing is. */
export function turnFault(
  { options }: Pick<GraderConfig, 'options'>,
  turns: number,
): OptionFault | null {
  const turn =
    typeof options === 'object' && options !== null && 'turn' in options ? options['turn'] : null
  if (typeof turn !== 'number' || turn <= turns) return null
  return {
    path: ['turn'],
    found: `turn ${turn} in a case of ${turns === 1 ? 'one turn' : `${turns} turns`}`,
    expected: `a turn of the case, from 1 to ${turns}`,
  }
}
