/**
 * Computes the position of a trial among the planned trials of its case and subject. The position is the trial's index,
 * except if the run is one part of a larger run (`assay run --shard`), because a part has only some of the indexes.
 */
import type { Identity } from '@assay/contract'
import { memberIndexes } from '../../log/index.ts'
import type { Report } from './report.ts'

/** Returns the position of a trial. Null if the trial is not planned. */
export type PositionOf = (trial: Identity) => number | null

export function positionsIn({ subjects, provenance: { shard } }: Report): PositionOf {
  const planned = new Map<string, number>()
  for (const { suite, subject, cases } of subjects)
    for (const { case: id, counts } of cases)
      planned.set(cellKey({ suite, case: id, subject }), counts.planned)
  if (shard === undefined)
    return (trial) => {
      const { index } = trial
      return index >= 0 && index < (planned.get(cellKey(trial)) ?? 0) ? index : null
    }
  const positions = new Map<string, Map<number, number>>()
  return (trial) => {
    const key = cellKey(trial)
    let known = positions.get(key)
    if (known === undefined) {
      const indexes = memberIndexes(shard, trial, planned.get(key) ?? 0)
      positions.set(key, (known = new Map(indexes.map((index, position) => [index, position]))))
    }
    return known.get(trial.index) ?? null
  }
}

/** Returns a map key for one subject on one case. */
export const cellKey = ({ suite, case: id, subject }: Omit<Identity, 'index'>): string =>
  JSON.stringify([suite, id, subject])
