/** A trial for a page that a server sends: with longer texts than a file with many trials has room for. */
import type { Trial } from '@assay/contract'
import { answerHash } from '../../log/index.ts'
import { scoringIn } from '../figures/runs/trial-figures.ts'
import type { ReportSource } from '../formats/format.ts'
import type { ViewText, ViewTrial } from './view-data.ts'
import { viewActs } from './view-trajectory.ts'
import { cutText, viewTrial, type TextLimits } from './view-trial.ts'

/** In characters. A browser still scrolls texts of this size smoothly. */
const LIMITS: TextLimits = { text: 400_000, texts: 2_000_000 }

/** `position` is the trial's place among the outcomes of its cell, by which the pages name it. */
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

/** In characters. Several answers are shown next to each other, and compared. */
const MOST_ANSWER = 20_000

/** Returns the answer of a trial, cut if it is long. */
export const answerText = (
  { answer }: Pick<Trial, 'answer'>,
  text: ReportSource['text'],
): ViewText | null => (answer === null ? null : cutText(answer, text, MOST_ANSWER))
