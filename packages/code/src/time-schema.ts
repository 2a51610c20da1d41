/** A duration in the options of graders, of this one and of others. It is kept as it was given. */
import { z } from 'zod'
import {
  A_GRADER_DURATION,
  DURATION,
  MOST_GRADER_SECONDS,
  parseGraderDuration,
} from '@assay/contract'

/** A day at most: whatever a grader waits for has ended by then. */
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
