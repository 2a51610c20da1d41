/**
 * Keeps the most wanted trials whose texts fit into the limits. Trajectories and diffs of agents have a
 * separate limit, so that long ones do not displace answers. The result does not depend on the order of the
 * trials.
 */
import type { Trial } from '@assay/contract'
import { chooseTrials } from './choose-trials.ts'
import type { ReportSource } from '../formats/format.ts'
import { cellKey } from '../formats/in-order.ts'
import { BoundedTop } from './bounded-top.ts'
import { scriptBytes } from '../formats/script-json.ts'
import { viewActs } from './view-trajectory.ts'
import type { Missing, ViewActs, ViewCell, ViewTrial } from './view-data.ts'
import { viewTrial } from './view-trial.ts'

export interface TrialLimits {
  /** Maximum number of trials with texts, and the bytes for all of them. */
  readonly trials: number
  readonly trialBytes: number
  /** Bytes for trajectories and diffs, in addition to `trialBytes`. */
  readonly actBytes: number
}

export async function keepTrials(
  source: ReportSource,
  cells: readonly ViewCell[],
  limits: TrialLimits,
): Promise<{ trials: ViewTrial[]; actsLeftOut: number }> {
  const chosen = chooseTrials(
    cells.map(({ outcomes }) => outcomes),
    limits.trials,
  )
  const ranks = new Map<string, Map<number, number>>()
  chosen.forEach(({ cell, index }, rank) => {
    const key = cellKey(cells[cell] as ViewCell)
    const ofCell = ranks.get(key) ?? new Map<number, number>()
    ranks.set(key, ofCell.set(index, rank))
  })
  const texts = new BoundedTop<ViewTrial>(limits.trialBytes, chosen.length)
  const acts = new BoundedTop<ViewActs>(limits.actBytes, chosen.length)
  const acted = new Map<number, ViewActs>()
  await source.trials((trial: Trial) => {
    const rank = ranks.get(cellKey(trial))?.get(trial.index)
    if (rank === undefined || !texts.wants(rank)) return
    const shown = viewTrial(trial, source.text)
    texts.offer(rank, shown, scriptBytes(shown) + 1)
    const absent = absentActs(trial)
    if (absent !== null) acted.set(rank, absent)
    if (absent === null || !acts.wants(rank)) return
    const done = viewActs(trial, source.text)
    acts.offer(rank, done, scriptBytes(done))
  })
  const kept = texts.entries()
  return {
    trials: kept
      .map(([rank, trial]) => ({ ...trial, ...(acts.get(rank) ?? acted.get(rank)) }))
      .sort(byIdentity),
    actsLeftOut: kept.filter(([rank]) => acted.has(rank) && acts.get(rank) === undefined).length,
  }
}

const NO_ROOM: Missing = { missing: 'this file has no room for it' }

/** Placeholders for a trajectory or diff that is left out; null if the trial has neither. */
const absentActs = ({ trajectory, diff }: Trial): ViewActs | null =>
  trajectory === undefined && diff === undefined
    ? null
    : {
        ...(trajectory !== undefined && { trajectory: NO_ROOM }),
        ...(diff !== undefined && { diff: NO_ROOM }),
      }

const byIdentity = (a: ViewTrial, b: ViewTrial): number =>
  compare(a.suite, b.suite) ||
  compare(a.case, b.case) ||
  compare(a.subject, b.subject) ||
  a.index - b.index

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
