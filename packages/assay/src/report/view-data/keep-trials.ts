/**
 * Keeps the most important trials whose texts fit into the size limits. Trajectories and diffs of agents have their own
 * limit, so that long ones do not displace answers. The result does not depend on the order of the trials.
 */
import type { Trial } from '@assay/contract'
import { chooseTrials } from './choose-trials.ts'
import type { ReportSource } from '../formats/format.ts'
import { cellKey, positionsIn } from '../schema/trial-position.ts'
import { BoundedTop } from './bounded-top.ts'
import { scriptBytes } from '../formats/script-json.ts'
import { viewActs } from './view-trajectory.ts'
import type { Missing, ViewActs, ViewCell, ViewTrial } from './view-data.ts'
import { scoringIn } from '../figures/runs/trial-figures.ts'
import { viewTrial } from './view-trial.ts'

export interface TrialLimits {
  /** The maximum number of trials with texts, and the maximum size of all these texts in bytes. */
  readonly trials: number
  readonly trialBytes: number
  /** The maximum size of trajectories and diffs in bytes, in addition to `trialBytes`. */
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
  const scoring = scoringIn(source.report)
  const positionOf = positionsIn(source.report)
  await source.trials((trial: Trial) => {
    const position = positionOf(trial)
    const rank = position === null ? undefined : ranks.get(cellKey(trial))?.get(position)
    if (position === null || rank === undefined || !texts.wants(rank)) return
    // The page finds a trial by its position in the string of outcomes, so `index` is that position.
    const shown = { ...viewTrial(trial, source.text, scoring), index: position }
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

/**
 * Returns placeholders that are shown if the trajectory and the diff of a trial are left out. Null if the trial has
 * neither.
 */
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
