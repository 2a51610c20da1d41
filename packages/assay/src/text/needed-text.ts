/**
 * Texts that say how many more trials or cases a result needs. All reports share them, so that the wording is the same.
 */
import { counted, dollars } from './figures.ts'

/**
 * Says how many trials to add and what they cost: ` (132 more trials in all, about $1.32)`. Empty if this is unknown.
 */
export function moreTrialsText(trials: number | null, usd: number | null): string {
  if (trials === null) return ''
  const price = usd === null ? '' : `, about ${dollars(usd)}`
  return ` (${counted(trials, 'more trial')} in all${price})`
}

/** Says how many new groups the new cases must form: ` in 2 more groups`. Empty if cases form no groups. */
export const inGroupsText = (groups: number | undefined): string =>
  groups === undefined ? '' : ` in ${counted(groups, 'more group')}`
