/**
 * Decides the result of a trial: its outcome, reason, score and implementation rate, and its grades as they are
 * recorded. A run, a resumed run, a regraded run and the proof of a suite all use this file.
 * The rules for a graded answer: First, the verdict of an advising grader is removed if other graders decide. Then,
 * if a required grade failed, the score is 0 and the trial fails. Otherwise the score is the weighted mean of all
 * grades that have a score. If the case has a threshold, the trial passes if the score reaches it. Without a
 * threshold, the trial passes if every grade with a verdict passed.
 */
import { fsum } from '@assay/metrics'
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
import type { Grader } from './grader.ts'
import { graderByType } from './graders.ts'

/** How a trial ended. */
export type TrialEnd =
  /** The answer was graded. `grades` contains one grade from each grader, as the grader gave it. */
  | { readonly kind: 'graded'; readonly grades: readonly Grade[] }
  /** The answer fails without grading. What its graders would say does not matter. */
  | { readonly kind: 'failed'; readonly reason: Reason }
  /**
   * There is no answer, or the answer could not be graded. So the trial does not show whether the subject is
   * good or bad.
   */
  | { readonly kind: 'errored'; readonly reason: Reason }

export interface TrialOutcome {
  readonly outcome: Outcome
  /** Why the trial did not pass. Absent if it passed, or if there was nothing to score. */
  readonly reason?: Reason
  /** The score in [0, 1]. Null if the trial is errored or unscored, or if no grade with a weight has a score. */
  readonly score: number | null
  /** The judges' score of the answer, in [0, 1]. Null if no judge was asked. */
  readonly implRate: number | null
  readonly grades: readonly Grade[]
}

/**
 * Computes the result of a trial. It is a pure function. `find` returns a grader by its type. Default: the
 * built-in graders.
 */
export function trialOutcome(
  { graders, threshold }: Pick<Case, 'graders' | 'threshold'>,
  end: TrialEnd,
  find: (type: string) => Grader | undefined = graderByType,
): TrialOutcome {
  if (end.kind === 'errored') return { ...NOTHING_KNOWN, outcome: 'errored', reason: end.reason }
  // Without graders, nothing is known about an answer, not even about an empty one.
  if (graders.length === 0) return { ...NOTHING_KNOWN, outcome: 'unscored' }
  const isJudged = ({ type }: { readonly type: string }): boolean =>
    find(type)?.judges !== undefined
  if (end.kind === 'failed')
    return {
      outcome: 'failed',
      reason: end.reason,
      score: 0,
      // An answer that fails before grading counts as 0 in the mean implementation rate.
      implRate: graders.some(isJudged) ? 0 : null,
      grades: [],
    }
  const grades = withoutIdleAdvice(end.grades, find)
  const { outcome, reason, score } = decided(grades, threshold)
  const implRate = grades.some(isJudged) ? implementationRate(grades.filter(isJudged)) : null
  return reason === undefined
    ? { outcome, score, implRate, grades }
    : { outcome, reason, score, implRate, grades }
}

const NOTHING_KNOWN = { score: null, implRate: null, grades: [] } as const

/** Returns why an answer fails without grading, or null if it must be graded. */
export function answerFailure(answer: Answer): Reason | null {
  const code = STOP_REASON[answer.stop]
  if (code !== null) return { code, text: answer.note ?? REASONS[code] }
  // If the text is empty but the agent changed files or acted, the answer is not empty.
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
  threw: 'function-failed',
  timeout: 'answer-timeout',
  limit: 'over-limit',
}

// ── Graded answers ───────────────────────────────────────────────────────────────────────────────────

/** Removes the verdicts of advising graders, unless they are required or no other grader gave a verdict. */
function withoutIdleAdvice(
  grades: readonly Grade[],
  find: (type: string) => Grader | undefined,
): readonly Grade[] {
  const isAdvice = ({ type, required }: Grade): boolean =>
    required !== true && find(type)?.advises === true
  if (!grades.some(isAdvice)) return grades
  if (!grades.some((grade) => grade.passed !== null && !isAdvice(grade))) return grades
  return grades.map((grade) => (isAdvice(grade) ? { ...grade, passed: null } : grade))
}

/**
 * The tolerance for comparing a score with a threshold. Decimal numbers are rounded in binary, but the mean of
 * 0.7, 0.7 and 0.7 must still reach a threshold of 0.7.
 */
const TOLERANCE = 1e-9

function decided(
  grades: readonly Grade[],
  threshold: number | null,
): Pick<TrialOutcome, 'outcome' | 'reason' | 'score'> {
  const isRefused = grades.some(({ required, passed }) => required === true && passed === false)
  const score = isRefused ? 0 : weightedMean(grades)
  const passed = isRefused
    ? false
    : threshold === null
      ? allPass(grades)
      : reaches(score, threshold)
  if (passed === null) return undecided(threshold)
  if (passed) return { outcome: 'passed', score }
  const culprit = grades.find((grade) => grade.passed === false)
  const text =
    culprit === undefined
      ? `score ${score} is below the threshold ${threshold}`
      : `${culprit.name}: ${culprit.reason ?? 'did not pass'}`
  return { outcome: 'failed', reason: { code: culprit?.cause ?? 'wrong-answer', text }, score }
}

const reaches = (score: number | null, threshold: number): boolean | null =>
  score === null ? null : score >= threshold - TOLERANCE

function allPass(grades: readonly Grade[]): boolean | null {
  const verdicts = grades.filter(({ passed }) => passed !== null)
  return verdicts.length === 0 ? null : verdicts.every(({ passed }) => passed === true)
}

/** Returns the result if no grader decides. The trial is then errored, because nothing is known about the answer. */
function undecided(threshold: number | null): Pick<TrialOutcome, 'outcome' | 'reason' | 'score'> {
  const text =
    threshold === null
      ? 'no grader gave a verdict, and the case has no threshold'
      : `no grader gave a score that counts, and the case has a threshold of ${threshold}`
  return { outcome: 'errored', reason: { code: 'grader-error', text }, score: null }
}

/**
 * Returns the weighted mean of the judges' scores. If all weights are 0, the judges have equal weights. Null if
 * no judge was asked.
 */
const implementationRate = (judged: readonly Grade[]): number | null =>
  judged.length === 0
    ? null
    : (weightedMean(judged) ?? weightedMean(judged.map((grade) => ({ ...grade, weight: 1 }))))

/** Returns the weighted mean. It uses exact sums, so the order of the grades does not matter. */
function weightedMean(grades: readonly Grade[]): number | null {
  const [only] = grades
  if (grades.length === 1 && only !== undefined && only.score !== null)
    return only.weight > 0 ? (only.weight * only.score) / only.weight : null
  const weights: number[] = []
  const weighted: number[] = []
  for (const { score, weight } of grades) {
    if (score === null) continue
    weights.push(weight)
    weighted.push(weight * score)
  }
  const total = fsum(weights)
  return total > 0 ? fsum(weighted) / total : null
}
