/** Determines which part of the plan a run is, if the plan is divided into parts. */
import { UsageError } from '@assay/contract'
import { readRecord, type Shard } from '../log/index.ts'
import type { RunOptions } from './run-options.ts'

/**
 * Returns the part of the plan to run, or null for the whole plan. A resumed run is always the part that it was started
 * as.
 */
export function shardOf({
  shard,
  resume = false,
  regrade,
  folder,
  ...options
}: RunOptions): Shard | null {
  if (regrade !== undefined && readRecord(regrade, options).shard !== undefined)
    throw new UsageError(`${regrade} is one part of a run: merge the parts, then grade them again`)
  if (!resume) return shard ?? null
  const { shard: recorded } = readRecord(folder, options)
  const text = (one: Shard | undefined): string =>
    one === undefined ? 'a whole run' : `part ${one.index} of ${one.of}`
  if (shard !== undefined && text(shard) !== text(recorded))
    throw new UsageError(
      `${folder} was started as ${text(recorded)} and cannot go on as ${text(shard)}`,
    )
  return recorded ?? null
}
