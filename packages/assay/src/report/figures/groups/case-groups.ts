/**
 * The groups of cases, such as all cases of one repository. A case without a group is its own group.
 *
 * Every figure has two intervals. The interval for cases like these (the population) depends on the groups, because the
 * groups are what was sampled. The interval for exactly these cases does not depend on groups, because only the trials
 * vary.
 */
import { counted } from '../../../text/index.ts'

interface NamedCase {
  /** The name of the case, unique within the list. */
  readonly id: string
  readonly group?: string | undefined
}

/** With fewer groups than this, the output warns that there are few groups. */
const FEW = 10

/**
 * Returns the name of each case's group, for the functions of `@assay/metrics`. Undefined if no two cases share a
 * group.
 */
export function groupNames(cases: readonly NamedCase[]): readonly string[] | undefined {
  if (cases.every(({ group }) => group === undefined)) return undefined
  const names = cases.map(({ id, group }) =>
    group === undefined ? `case ${id}` : `group ${group}`,
  )
  return new Set(names).size < names.length ? names : undefined
}

/**
 * Returns the number of groups (`count`), of cases that belong to a group (`grouped`), and of cases that belong to none
 * (`alone`). In `count`, a case that belongs to none is a group of its own.
 */
export function countGroups(
  cases: readonly NamedCase[],
): { readonly count: number; readonly grouped: number; readonly alone: number } | null {
  const names = groupNames(cases)
  if (names === undefined) return null
  const grouped = cases.filter(({ group }) => group !== undefined).length
  return { count: new Set(names).size, grouped, alone: cases.length - grouped }
}

/** Returns a sentence about the groups. Null if no two cases share a group. */
export function groupsSentence(cases: readonly NamedCase[]): string | null {
  const groups = countGroups(cases)
  if (groups === null) return null
  const { count, alone } = groups
  const mixed =
    alone === 0 ? '' : `, of which ${alone === 1 ? '1 is' : `${alone} are`} a case without a group`
  const unit = 'intervals and tests for cases like these count groups, not cases'
  const isFew = count > 1 && count < FEW
  const all = `${counted(cases.length, 'case')} in ${isFew ? 'only ' : ''}${counted(count, 'group')}${mixed}`
  if (count === 1) return `${all}: one group says nothing about others, so there is no interval`
  return `${all}: ${unit}${isFew ? ', so intervals are wide' : ''}`
}
