/**
 * Decides the result of a trial: its outcome, reason, score and implementation rate, and its grades as they are
 * recorded. A run, a resumed run, a regraded run and a proof of a suite all use this.
 *
 * For a graded answer, advice that does not count first loses its verdict. Then a required grade that failed makes
 * the score 0 and the trial failed. Otherwise the score is the weighted mean of the grades that have one. If there is
 * a threshold, it decides. Without one, the trial passes if every grade with a verdict passed.
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
  /** The answer was graded. There is one grade from each grader, unchanged. */
  | { readonly kind: 'graded'; readonly grades: readonly Grade[] }
  /** The answer fails, whatever its graders might say. */
  | { readonly kind: 'failed'; readonly reason: Reason }
  /** There is no answer, or it could not be graded. This says nothing about the subject. */
  | { readonly kind: 'errored'; readonly reason: Reason }

export interface TrialOutcome {
  readonly outcome: Outcome
  /** Absent if the trial passed, or if there was nothing to score. */
  readonly reason?: Reason
  /** In [0, 1]. Null if the trial errored or is unscored, or if no grade with a weight has a score. */
  readonly score: number | null
  /** The judges' score of the answer, in [0, 1]. Null if no judge was asked. */
  readonly implRate: number | null
  readonly grades: readonly Grade[]
}

/**
 * Returns the result of a trial. It is a pure function. `find` returns a grader by type; default: the built-in
 * graders.
 */
export function trialOutcome(
  { graders, threshold }: Pick<Case, 'graders' | 'threshold'>,
  end: TrialEnd,
  find: (type: string) => Grader | undefined = graderByType,
): TrialOutcome {
  if (end.kind === 'errored') return { ...NOTHING_KNOWN, outcome: 'errored', reason: end.reason }
  // A case without graders makes no statement about an answer, not even about an empty one.
  if (graders.length === 0) return { ...NOTHING_KNOWN, outcome: 'unscored' }
  const isJudged = ({ type }: { readonly type: string }): boolean =>
    find(type)?.judges !== undefined
  if (end.kind === 'failed')
    return {
      outcome: 'failed',
      reason: end.reason,
      score: 0,
      // An answer that fails before judging counts as 0 in the average of the judged ones.
      implRate: graders.some(isJudged) ? 0 : null,
      grades: [],
    }
  const grades = withoutIdleAdvice(end.grades, find)
  return {
    ...decided(grades, threshold),
    implRate: implementationRate(grades.filter(isJudged)),
    grades,
  }
}

const NOTHING_KNOWN = { score: null, implRate: null, grades: [] } as const

/** Returns why an answer fails whatever its graders might say, or null if it should be graded. */
export function answerFailure(answer: Answer): Reason | null {
  const code = STOP_REASON[answer.stop]
  if (code !== null) return { code, text: answer.note ?? REASONS[code] }
  // Actions count as an answer, even if the text is empty.
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

// ── Of a graded answer ───────────────────────────────────────────────────────────────────────────────

/**
 * Removes verdicts that are only advice. An advising grader decides only if it is required, or if no other grader
 * gave a verdict.
 */
function withoutIdleAdvice(
  grades: readonly Grade[],
  find: (type: string) => Grader | undefined,
): readonly Grade[] {
  const isAdvice = ({ type, required }: Grade): boolean =>
    required !== true && find(type)?.advises === true
  if (!grades.some((grade) => grade.passed !== null && !isAdvice(grade))) return grades
  return grades.map((grade) => (isAdvice(grade) ? { ...grade, passed: null } : grade))
}

/** Decimal numbers are rounded in binary. The mean of 0.7, 0.7 and 0.7 must still reach a threshold of 0.7. */
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

/** The result if no grader decides. This is an error of grading: it says nothing about the answer. */
function undecided(threshold: number | null): Pick<TrialOutcome, 'outcome' | 'reason' | 'score'> {
  const text =
    threshold === null
      ? 'no grader gave a verdict, and the case has no threshold'
      : `no grader gave a score that counts, and the case has a threshold of ${threshold}`
  return { outcome: 'errored', reason: { code: 'grader-error', text }, score: null }
}

/**
 * Returns the weighted mean of the judges' scores, with equal weights if the case gives all of them a weight of 0.
 * Null if no judge was asked.
 */
const implementationRate = (judged: readonly Grade[]): number | null =>
  weightedMean(judged) ?? weightedMean(judged.map((grade) => ({ ...grade, weight: 1 })))

/** Returns the weighted mean. It uses exact sums, so the order of the grades does not matter. */
function weightedMean(grades: readonly Grade[]): number | null {
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
