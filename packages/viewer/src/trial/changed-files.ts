/** Aligns the changes of several agents by file, so that the same file is in the same row. */
import type { ViewChange, ViewTrial } from '../data/source.ts'

export interface ChangedFile {
  readonly path: string
  /**
   * The changes of the file, one for each agent. Null if the agent did not change the file, or if its changes are
   * unknown.
   */
  readonly changes: readonly (ViewChange | null)[]
  /** Whether every agent made the same change. */
  readonly isSame: boolean
}

export function changedFiles(trials: readonly (ViewTrial | null)[]): ChangedFile[] {
  const byTrial = trials.map(
    (trial) => new Map(changesOf(trial).map((change) => [change.path, change])),
  )
  const paths = [...new Set(byTrial.flatMap((changes) => [...changes.keys()]))].toSorted()
  return paths.map((path) => {
    const changes = byTrial.map((one) => one.get(path) ?? null)
    return { path, changes, isSame: new Set(changes.map((one) => JSON.stringify(one))).size === 1 }
  })
}

const changesOf = (trial: ViewTrial | null): readonly ViewChange[] =>
  trial?.diff === undefined || 'missing' in trial.diff ? [] : trial.diff.changes

/** Returns the longest of the agents' times. With it, the bars of all steps have the same scale. */
export const longestMs = (trials: readonly (ViewTrial | null)[]): number =>
  Math.max(
    1,
    ...trials.map((trial) =>
      trial?.trajectory === undefined || 'missing' in trial.trajectory ? 0 : trial.trajectory.ms,
    ),
  )
