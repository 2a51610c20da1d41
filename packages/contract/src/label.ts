/**
 * What a person thinks of one answer. Labels are kept in `labels.jsonl` of a run folder, apart from the log: a judge's
 * errors are estimated from them. A later label of the same person on the same trial replaces the earlier one.
 */
import type { Identity } from './trial.ts'

export const LABEL_VERDICTS = ['pass', 'fail', 'unsure', 'withdrawn'] as const

/** `unsure`: the person looked and could not decide. `withdrawn`: the person takes an earlier label back. */
export type LabelVerdict = (typeof LABEL_VERDICTS)[number]

export const LABEL_PICKS = ['random', 'chosen'] as const

/**
 * `random`: the trial came up in the random order of the Review page. `chosen`: the person opened this trial on
 * purpose, for example because it failed. Such labels say nothing about how often a judge errs.
 */
export type LabelPick = (typeof LABEL_PICKS)[number]

export interface Label extends Identity {
  /** A hash of the answer that was reviewed. If the trial has another answer now, the label does not count. */
  readonly answer: string
  readonly reviewer: string
  readonly verdict: LabelVerdict
  readonly note: string
  /** Whether the verdicts of the graders and the name of the subject were hidden. */
  readonly blind: boolean
  readonly picked: LabelPick
  /** An ISO date. */
  readonly at: string
}

/** In characters. */
export const LABEL_LIMITS = { name: 500, reviewer: 100, note: 4000 } as const
