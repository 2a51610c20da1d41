/**
 * Adds the trials of a run to the tally after they were written to the disk, in the order of their lines in the log.
 * For a new run, it also stores where each line starts, so that the run's summary does not have to read the log. For a
 * large new run, it writes an index of the log at the end, so that later reports do not have to read the whole log
 * either.
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
   * Writes the log's index if the run gets one. Returns what reading the log would return, or null if that is not
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
  // Two kinds of runs get no index here. For a resumed run, this session has not seen the lines of earlier sessions.
  // For a run with judges, the report needs more than an index contains.
  const isWhole = !resume && judges.length === 0
  const isSmall = plan.planned <= smallRun
  const key = (isWhole && !isSmall ? indexKey?.() : null) ?? null
  if (!isWhole || (!isSmall && key === null))
    return { onRecorded: (trial) => void tally.add(trial), finish: async () => null }
  const starts = noStarts(plan)
  let isReadable = true
  return {
    onRecorded: (trial, start) => {
      // A custom grader may have returned a value that the reader of the log rejects. In that case, no index is
      // written.
      isReadable &&= trialShape(trial) === null
      const ordinal = tally.add(trial)
      if (ordinal !== null) starts[ordinal] = start
    },
    finish: async (folder) => (isReadable ? folder.recorded({ tally, starts }, plan, key) : null),
  }
}
