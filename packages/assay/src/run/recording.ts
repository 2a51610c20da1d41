/**
 * Adds the trials of a run to the tally when they are on the disk, in the order of their lines. For a large new run, it
 * also stores the offset of each line and writes the log's index at the end, so that later reports need not read the
 * whole log.
 */
import {
  noStarts,
  SMALL_RUN,
  trialShape,
  type OnRecorded,
  type RunFolder,
  type StoredTrials,
  type Tally,
} from '../log/index.ts'
import type { RunOptions } from './run-options.ts'

export interface Recording {
  readonly onRecorded: OnRecorded
  /** Writes the index and returns its contents. Does nothing and returns null if the run gets no index. */
  readonly writeIndex: (folder: RunFolder) => Promise<StoredTrials | null>
}

type Options = Pick<RunOptions, 'indexKey' | 'resume' | 'judges'>

export function recordingOf(
  { indexKey, resume = false, judges = [] }: Options,
  tally: Tally,
): Recording {
  const { plan } = tally
  // A resumed run gets no index here, because the lines of earlier sessions were not seen. Neither does a run with
  // judges, because its report needs more than an index contains.
  const mayIndex = !resume && judges.length === 0 && plan.planned > SMALL_RUN
  const key = (mayIndex ? indexKey?.() : null) ?? null
  if (key === null)
    return { onRecorded: (trial) => void tally.add(trial), writeIndex: async () => null }
  const starts = noStarts(plan)
  let isReadable = true
  return {
    onRecorded: (trial, start) => {
      // A custom grader may have returned a value that the reader of the log rejects. Then no index is written.
      isReadable &&= trialShape(trial) === null
      const ordinal = tally.add(trial)
      if (ordinal !== null) starts[ordinal] = start
    },
    writeIndex: async (folder) =>
      isReadable ? folder.writeIndex(key, { tally, starts }, plan) : null,
  }
}
