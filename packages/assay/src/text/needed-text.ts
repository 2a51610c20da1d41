/** Words about the evidence that is still needed. They are the same wherever such advice is given. */
import { counted, dollars } from './figures.ts'

/** How many trials to add, and what they cost: ` (132 more trials in all, about $1.32)`. Empty if it is unknown. */
export function moreTrialsText(trials: number | null, usd: number | null): string {
  if (trials === null) return ''
  const price = usd === null ? '' : `, about ${dollars(usd)}`
  return ` (${counted(trials, 'more trial')} in all${price})`
}

/** In how many new groups new cases must be: ` in 2 more groups`. Empty if cases form no groups. */
export const inGroupsText = (groups: number | undefined): string =>
  groups === undefined ? '' : ` in ${counted(groups, 'more group')}`
