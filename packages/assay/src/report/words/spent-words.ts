/** Says how much money a run spent. A sum that leaves out answers without a known price is not called the whole sum. */
import { dollars } from '../../text/index.ts'

export interface Spent {
  readonly spentUsd: number
  /** The number of scored trials whose price is unknown. */
  readonly unpriced: number
}

/** Returns the money spent: `$1.20`, `at least $1.20`, or `unknown` if no price is known. */
export const spentText = ({ spentUsd, unpriced }: Spent): string =>
  unpriced === 0 ? dollars(spentUsd) : spentUsd === 0 ? 'unknown' : `at least ${dollars(spentUsd)}`
