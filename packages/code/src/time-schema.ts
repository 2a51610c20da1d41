/** A duration in the options of the code grader and other graders. The value is kept as written in the suite. */
import { z } from 'zod'
import {
  A_GRADER_DURATION,
  DURATION,
  MOST_GRADER_SECONDS,
  parseGraderDuration,
} from '@assay/contract'

/** A number of seconds, or a text such as `30s`; at most `MOST_GRADER_SECONDS`, one day. */
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
