/** A trial for a page that a server sends. Its texts can be longer than in a file that contains many trials. */
import type { Trial } from '@assay/contract'
import { answerHash } from '../../log/index.ts'
import { scoringIn } from '../figures/runs/trial-figures.ts'
import type { ReportSource } from '../formats/format.ts'
import type { ViewText, ViewTrial } from './view-data.ts'
import { viewActs } from './view-trajectory.ts'
import { cutText, viewTrial, type TextLimits } from './view-trial.ts'

/** The maximum lengths of texts, in characters. A browser still scrolls texts of this size smoothly. */
const LIMITS: TextLimits = { text: 400_000, texts: 2_000_000 }

/**
 * Returns a trial for its page. `position` is its position among the outcomes of its cell (one subject on one case).
 * The pages identify the trial by it.
 */
export const wholeTrial = (
  {
    report,
    text,
  }: Pick<ReportSource, 'text'> & { readonly report: Pick<ReportSource['report'], 'provenance'> },
  trial: Trial,
  position: number,
  limits: TextLimits = LIMITS,
): ViewTrial => ({
  ...viewTrial(trial, text, scoringIn(report), limits),
  index: position,
  answerHash: answerHash(trial),
  ...(trial.trajectory === undefined && trial.diff === undefined ? {} : viewActs(trial, text)),
})

/** The maximum length of an answer in characters, where several answers are shown next to each other. */
const MOST_ANSWER = 20_000

/** Returns the answer of a trial, cut if it is long. */
export const answerText = (
  { answer }: Pick<Trial, 'answer'>,
  text: ReportSource['text'],
): ViewText | null => (answer === null ? null : cutText(answer, text, MOST_ANSWER))
