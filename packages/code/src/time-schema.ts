/** A duration in the options of this grader and others. The value is kept as given. */
import { z } from 'zod'
import {
  A_GRADER_DURATION,
  DURATION,
  MOST_GRADER_SECONDS,
  parseGraderDuration,
} from '@assay/contract'

/** At most a day: nothing that a grader waits for takes longer. */
export const timeSchema = z.union(
  [
    z.number().min(0.001).max(MOST_GRADER_SECONDS),
    z
      .string()
      .regex(DURATION, { error: A_GRADER_DURATION, abort: true })
      .refine((time) => parseGraderDuration(time) !== null, A_GRADER_DURATION),
  ],
  A_GRADER_DURATION,
)
