/** What became of a trial: its outcome, reason and score, from the answer and its grades. */
import {
  type Answer,
  type Case,
  type Grade,
  type Outcome,
  type Reason,
  type ReasonCode,
  type Stop,
  type Trajectory,
  REASONS,
} from '@assay/contract'
import { scoreTrial } from '../../grade/index.ts'

export interface TrialOutcome {
  readonly outcome: Outcome
  readonly reason?: Reason
  readonly score: number | null
}

/** Why an answer fails whatever its graders might say; null for one that is worth grading. */
export function failureOf(answer: Answer): Reason | null {
  const code = STOP_REASON[answer.stop]
  if (code !== null) return { code, text: answer.note ?? REASONS[code] }
  // What somebody did counts, whatever they said in the end.
  const empty =
    answer.text.trim() === '' &&
    Object.keys(answer.files ?? {}).length === 0 &&
    answer.diff === undefined &&
    !hasActed(answer.trajectory)
  return empty ? { code: 'empty-answer', text: REASONS['empty-answer'] } : null
}

const hasActed = (trajectory: Trajectory | undefined): boolean =>
  trajectory?.steps.some(
    ({ kind }) => kind === 'tool-call' || kind === 'file-change' || kind === 'skill',
  ) === true

const STOP_REASON: Record<Stop, ReasonCode | null> = {
  end: null,
  length: 'truncated',
  filter: 'filtered',
  refusal: 'refused',
  exit: 'exit-code',
  timeout: 'answer-timeout',
  limit: 'over-limit',
}

/** A case without graders has nothing to say about an answer, not even that it is empty. */
export const isScored = (one: Case): boolean => one.graders.length > 0

export function failedOutcome(reason: Reason): TrialOutcome {
  return { outcome: 'failed', reason, score: 0 }
}

export function gradedOutcome(grades: readonly Grade[], threshold: number | null): TrialOutcome {
  const { score, passed } = scoreTrial(grades, threshold)
  if (passed === null) return undecided(threshold)
  if (passed) return { outcome: 'passed', score }
  const culprit = grades.find((grade) => grade.passed === false)
  const text =
    culprit === undefined
      ? `score ${score} is below the threshold ${threshold}`
      : `${culprit.name}: ${culprit.reason ?? 'did not pass'}`
  return { outcome: 'failed', reason: { code: culprit?.cause ?? 'wrong-answer', text }, score }
}

/** Graders that leave a trial undecided have told nothing about the answer: it is not the one that failed. */
function undecided(threshold: number | null): TrialOutcome {
  const text =
    threshold === null
      ? 'no grader gave a verdict, and the case has no threshold'
      : `no grader gave a score that counts, and the case has a threshold of ${threshold}`
  return { outcome: 'errored', reason: { code: 'grader-error', text }, score: null }
}
