/** Aligns the changes of several agents by file, so that the same file is in the same row. */
import type { ViewChange, ViewTrial } from '../data/source.ts'

export interface ChangedFile {
  readonly path: string
  /** One for each agent. Null: this agent did not change the file, or its changes are not known. */
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

/** The longest of the agents' times, so that the bars of all steps have one scale. */
export const longestMs = (trials: readonly (ViewTrial | null)[]): number =>
  Math.max(
    1,
    ...trials.map((trial) =>
      trial?.trajectory === undefined || 'missing' in trial.trajectory ? 0 : trial.trajectory.ms,
    ),
  )
