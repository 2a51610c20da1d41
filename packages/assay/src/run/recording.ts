/**
 * Adds the trials of a run to the tally when they are on the disk, in the order of their lines. For a new run, it also
 * stores the offset of each line, so that the run's summary need not read the log. For a large one it writes the log's
 * index at the end, so that later reports need not read the log either.
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
  /**
   * Writes the index if the run gets one, and returns what a reader of the log would find. Returns null if that is not
   * known.
   */
  readonly finish: (folder: RunFolder) => Promise<StoredTrials | null>
}

type Options = Pick<RunOptions, 'indexKey' | 'smallRun' | 'resume' | 'judges'>

export function recordingOf(
  { indexKey, smallRun = SMALL_RUN, resume = false, judges = [] }: Options,
  tally: Tally,
): Recording {
  const { plan } = tally
  // A resumed run gets no index here, because the lines of earlier sessions were not seen. Neither does a run with
  // judges, because its report needs more than an index contains.
  const isWhole = !resume && judges.length === 0
  const isSmall = plan.planned <= smallRun
  const key = (isWhole && !isSmall ? indexKey?.() : null) ?? null
  if (!isWhole || (!isSmall && key === null))
    return { onRecorded: (trial) => void tally.add(trial), finish: async () => null }
  const starts = noStarts(plan)
  let isReadable = true
  return {
    onRecorded: (trial, start) => {
      // A custom grader may have returned a value that the reader of the log rejects. Then no index is written.
      isReadable &&= trialShape(trial) === null
      const ordinal = tally.add(trial)
      if (ordinal !== null) starts[ordinal] = start
    },
    finish: async (folder) => (isReadable ? folder.recorded({ tally, starts }, plan, key) : null),
  }
}
