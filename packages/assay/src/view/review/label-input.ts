/**
 * The schemas of labels that pages send or files contain. Labels may come from anybody, so unknown keys are refused.
 */
import { LABEL_LIMITS, LABEL_PICKS, LABEL_VERDICTS } from '@assay/contract'
import { z } from 'zod'

const name = z.string().max(LABEL_LIMITS.name * 8)

const common = {
  suite: name,
  case: name,
  subject: name,
  answer: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'the hash of an answer: 32 hexadecimal digits')
    .describe('The hash of the answer that was reviewed.'),
  reviewer: z
    .string()
    .max(LABEL_LIMITS.reviewer)
    .regex(
      /^[^\p{Cc}\p{Cs}\u2028\u2029]*\S[^\p{Cc}\p{Cs}\u2028\u2029]*$/u,
      'the name of a person, on one line',
    ),
  verdict: z.enum(LABEL_VERDICTS),
  note: z.string().max(LABEL_LIMITS.note),
  blind: z.boolean(),
  picked: z.enum(LABEL_PICKS),
}

/** A label that a page sends. `position` is the index of the trial among the trials of one subject on one case. */
export const sentLabelSchema = z.strictObject({ ...common, position: z.int().min(0) })

const labelSchema = z.strictObject({
  ...common,
  index: z.int().min(0),
  at: z.iso.datetime({ error: 'a time such as 2026-01-31T12:00:00.000Z' }),
})

/** The schema of the file with labels that a user downloads from the Review page of a static site. */
export const labelsFileSchema = z.strictObject({
  assay: z.literal('labels'),
  version: z.literal(1),
  run: z.string().min(1).describe('The id of the run.'),
  labels: z.array(labelSchema).max(100_000),
})

export type LabelsFile = z.infer<typeof labelsFileSchema>
