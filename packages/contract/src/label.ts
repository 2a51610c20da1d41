/**
 * A label: a person's verdict on one answer. Labels are stored in `labels.jsonl` of a run folder, separate from the
 * log. Assay estimates from them how often a judge errs. If a person labels the same trial again, the later label
 * replaces the earlier one.
 */
import type { Identity } from './trial.ts'

export const LABEL_VERDICTS = ['pass', 'fail', 'unsure', 'withdrawn'] as const

/** The person's verdict. `unsure`: the person could not decide. `withdrawn`: the person takes back an earlier label. */
export type LabelVerdict = (typeof LABEL_VERDICTS)[number]

export const LABEL_PICKS = ['random', 'chosen'] as const

/**
 * How the person came to this trial. `random`: the Review page showed it in its random order. `chosen`: the person
 * opened it on purpose, for example because it failed. Chosen labels are not a random sample, so they say nothing
 * about how often a judge errs.
 */
export type LabelPick = (typeof LABEL_PICKS)[number]

/**
 * How a trial was picked, after a person gave it another label. A trial that once came up at random stays in the random
 * sample. Without this rule, a person who corrects a label would remove the trial from the sample.
 */
export const pickAfter = (
  earlier: Pick<Label, 'picked'> | undefined,
  later: Pick<Label, 'picked'>,
): LabelPick => (earlier?.picked === 'random' ? 'random' : later.picked)

export interface Label extends Identity {
  /**
   * A hash of the answer that the person reviewed. If the trial was repeated and has another answer now, the label
   * does not count.
   */
  readonly answer: string
  readonly reviewer: string
  readonly verdict: LabelVerdict
  readonly note: string
  /** Whether the verdicts of the graders and the name of the subject were hidden from the person. */
  readonly blind: boolean
  readonly picked: LabelPick
  /** When the label was given, as an ISO date. */
  readonly at: string
}

/** The greatest lengths of a label's texts, in characters. */
export const LABEL_LIMITS = { name: 500, reviewer: 100, note: 4000 } as const
