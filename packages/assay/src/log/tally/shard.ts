/**
 * A shard is one part of a run's plan. Several machines can each run one part. A hash of a trial's identity decides
 * which part the trial belongs to. So a trial stays in its part when cases, subjects or trials are added to the plan.
 */
import type { Identity } from '@assay/contract'
import { hash32 } from './rng.ts'

/** One part of a plan. `index` counts from 1. */
export interface Shard {
  readonly index: number
  readonly of: number
}

type CellIdentity = Omit<Identity, 'index'>

/** The maximum number of parts. A larger number is certainly a mistake. */
export const MOST_SHARDS = 100_000

/**
 * Returns a function that maps the index of a trial to the part of the run that the trial belongs to, from 0 to `of` −
 * 1. The index counts the trials of one subject on one case (a cell).
 */
export function partIndex(
  of: number,
  { suite, case: id, subject }: CellIdentity,
): (index: number) => number {
  const cell = hash32(JSON.stringify([suite, id, subject]))
  return (index) => mixed(hash32(String(index), cell)) % of
}

/**
 * Returns a function that says whether a trial of the cell (one subject on one case), given by its index, belongs to
 * the part.
 */
export function memberOf(shard: Shard, cell: CellIdentity): (index: number) => boolean {
  const partOf = partIndex(shard.of, cell)
  return (index) => partOf(index) === shard.index - 1
}

/** Returns the indexes of the first `count` trials of a cell (one subject on one case) that belong to the part. */
export function memberIndexes(shard: Shard, cell: CellIdentity, count: number): number[] {
  const isMember = memberOf(shard, cell)
  const indexes: number[] = []
  for (let index = 0; indexes.length < count; index++) if (isMember(index)) indexes.push(index)
  return indexes
}

/**
 * Spreads similar hashes over all 32 bits (the final step of MurmurHash3). Without it, consecutive trials of one cell
 * would be assigned to the parts in turn. With two parts, all even indexes would be in the same part.
 */
export function mixed(hash: number): number {
  let h = hash ^ (hash >>> 16)
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
